import {
  type ClassDeclaration,
  isArrowFunction,
  isClassDeclaration,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isInterfaceDeclaration,
  isNamedExports,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'

export interface Export {
  readonly name: string
  /** `type`: an error class too, which only says what is thrown. `reexport`: from another file. `default`: what must not be. */
  readonly kind: 'function' | 'class' | 'value' | 'type' | 'reexport' | 'default'
  readonly line: number
  readonly hasDocComment: boolean
}

/** What a file exports, in its order. */
export function exportsOf(ast: SourceFile, line: (node: Node) => number): Export[] {
  return ast.statements.flatMap((statement) =>
    exportsOfStatement(statement).map((found) => ({
      ...found,
      line: line(statement),
      hasDocComment: hasDocComment(statement),
    })),
  )
}

type Found = Pick<Export, 'name' | 'kind'>

function exportsOfStatement(node: Node): Found[] {
  if (isExportAssignment(node)) return [{ name: 'default', kind: 'default' }]
  if (isExportDeclaration(node)) {
    if (node.exportClause === undefined || !isNamedExports(node.exportClause)) return [{ name: '*', kind: 'reexport' }]
    return node.exportClause.elements.map(({ name }) => ({
      name: name.text,
      kind: name.text === 'default' ? 'default' : 'reexport',
    }))
  }
  const modifiers = 'modifiers' in node && Array.isArray(node.modifiers) ? node.modifiers : []
  const has = (kind: SyntaxKind) => modifiers.some((modifier) => modifier.kind === kind)
  if (!has(SyntaxKind.ExportKeyword)) return []
  if (has(SyntaxKind.DefaultKeyword)) return [{ name: 'default', kind: 'default' }]
  if (isFunctionDeclaration(node)) return [{ name: node.name?.text ?? '', kind: 'function' }]
  if (isClassDeclaration(node)) return [{ name: node.name?.text ?? '', kind: isErrorClass(node) ? 'type' : 'class' }]
  if (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node)) return [{ name: node.name.text, kind: 'type' }]
  if (isEnumDeclaration(node)) return [{ name: node.name.text, kind: 'value' }]
  if (!isVariableStatement(node)) return []
  return node.declarationList.declarations.flatMap(({ name, initializer }) => {
    if (!isIdentifier(name)) return []
    const isFunction = initializer !== undefined && (isArrowFunction(initializer) || isFunctionExpression(initializer))
    return [{ name: name.text, kind: isFunction ? ('function' as const) : ('value' as const) }]
  })
}

const isErrorClass = ({ heritageClauses }: ClassDeclaration): boolean =>
  heritageClauses?.some(({ types }) => types.some(({ expression }) => /Error$/.test(expression.getText()))) ?? false

function hasDocComment(node: Node): boolean {
  return 'jsDoc' in node && Array.isArray(node.jsDoc) && node.jsDoc.length > 0
}
