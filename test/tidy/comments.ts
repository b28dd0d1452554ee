import { type Node, SyntaxKind } from 'typescript/unstable/ast'

export interface Comment {
  readonly text: string
  readonly line: number
}

const LITERALS = new Set<SyntaxKind>([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.JsxText,
])
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y

/** All comments of a file: what looks like one and stands in no literal. */
export function commentsOf(text: string, nodes: readonly Node[], lineAt: (position: number) => number): Comment[] {
  const literalEnds = new Map<number, number>()
  for (const node of nodes) if (LITERALS.has(node.kind)) literalEnds.set(startOf(node), node.end)
  const comments: Comment[] = []
  for (let at = 0; at < text.length; ) {
    const literalEnd = literalEnds.get(at)
    COMMENT.lastIndex = at
    const comment = literalEnd === undefined ? COMMENT.exec(text)?.[0] : undefined
    if (comment !== undefined) comments.push({ text: comment, line: lineAt(at) })
    at = literalEnd ?? at + (comment?.length ?? 1)
  }
  return comments
}

const startOf = (node: Node): number => node.getStart()
