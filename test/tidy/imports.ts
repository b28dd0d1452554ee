import { posix } from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportExpression,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  type Node,
} from 'typescript/unstable/ast'

/** One import, of whatever form: `import`, `export … from`, `import()`, `import('…').Type`. */
export interface Import {
  /** As it is written. */
  readonly specifier: string
  /** The path from the root; null for a package or a module of the runtime. */
  readonly path: string | null
  readonly line: number
}

/** The imports of a file, in their order. */
export function importsOf(path: string, nodes: readonly Node[], line: (node: Node) => number): Import[] {
  return nodes.flatMap((node) => {
    const target = targetOf(node)
    if (target === undefined || !isStringLiteral(target)) return []
    const specifier = target.text
    const isRelative = specifier.startsWith('.')
    const resolved = isRelative ? posix.join(posix.dirname(path), specifier) : null
    return [{ specifier, path: resolved, line: line(target) }]
  })
}

function targetOf(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (isCallExpression(node) && isImportExpression(node.expression)) return node.arguments[0]
  return undefined
}

/** The package of a specifier (`@scope/name`, `name`); modules of the runtime whole (`node:fs`, `bun:sqlite`). */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:') || specifier.startsWith('bun:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
