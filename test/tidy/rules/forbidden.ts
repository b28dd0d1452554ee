import {
  isCallExpression,
  isIdentifier,
  isNonNullExpression,
  isPropertyAccessExpression,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import type { CodeFile, Tree } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'

const SKIPS_PATH = 'test/skips.json'
const SKIPPING = new Set(['skip', 'skipIf', 'todo', 'todoIf', 'if', 'failing'])
const RUNNERS = new Set(['test', 'describe', 'it'])
const LEFT_OVER = /\b(TODO|FIXME|XXX|HACK)\b/
const SWITCH_OFF = /@ts-(ignore|nocheck|expect-error)\b/
const EXPLAINED_ANY = /biome-ignore lint\/suspicious\/noExplicitAny: \S/

/** 7: what switches a check off, or is left over. Skips are allowed when they are listed with their reason. */
export const forbidden: Rule = {
  name: 'forbidden',
  *check(tree) {
    const listed = listedSkips(tree)
    for (const file of tree.code) {
      for (const node of file.nodes) {
        const reason = reasonAgainst(file, node, listed)
        if (reason !== null) yield { file: file.path, line: file.line(node), reason }
      }
      for (const { text, line } of file.comments) {
        const found = LEFT_OVER.exec(text)?.[0] ?? SWITCH_OFF.exec(text)?.[0]
        if (found !== undefined) yield { file: file.path, line, reason: found }
      }
    }
    yield* staleSkips(tree, listed)
  },
}

function reasonAgainst(file: CodeFile, node: Node, listed: ReadonlySet<string>): string | null {
  if (isNonNullExpression(node)) return 'no `!`: check it, or let the type say it'
  if (node.kind === SyntaxKind.ExclamationToken && node.parent.kind !== SyntaxKind.PrefixUnaryExpression) {
    return 'no `!`: initialise it'
  }
  if (node.kind === SyntaxKind.AnyKeyword) {
    const explained = !file.path.startsWith('src/') && isExplainedAny(file, file.line(node))
    return explained ? null : 'no `any`: parse the unknown once, at the boundary'
  }
  if (!isPropertyAccessExpression(node) || !isIdentifier(node.expression)) return null
  const [object, name] = [node.expression.text, node.name.text]
  if (object === 'console' && file.path.startsWith('src/') && !file.path.startsWith('src/cli/')) {
    return 'no console: write to the log'
  }
  if (!RUNNERS.has(object) || !file.path.startsWith('test/')) return null
  if (name === 'only') return `${object}.only leaves all others out`
  if (SKIPPING.has(name) && isCallExpression(node.parent) && !listed.has(file.path)) {
    return `${object}.${name}: list it in ${SKIPS_PATH}, with the reason`
  }
  return null
}

const isExplainedAny = (file: CodeFile, line: number): boolean =>
  file.comments.some((comment) => comment.line === line - 1 && EXPLAINED_ANY.test(comment.text))

function listedSkips(tree: Tree): Set<string> {
  return new Set(tree.paths.includes(SKIPS_PATH) ? Object.keys(JSON.parse(tree.text(SKIPS_PATH))) : [])
}

function* staleSkips(tree: Tree, listed: ReadonlySet<string>): Iterable<Finding> {
  const known = new Set(tree.paths)
  for (const file of listed) {
    if (!known.has(file)) yield { file: SKIPS_PATH, line: 1, reason: `there is no ${file}: remove it` }
  }
}
