import {
  isAsExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isStringLiteralLikeNode,
  isTemplateLiteralLikeNode,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import type { CodeFile, Tree } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'

const ERRORS_PATH = 'src/domain/errors.ts'
const ERRORS_DOC = 'docs/ERRORS.md'

/** 10: every error code is used and documented, and every operation has a wire test. */
export const coverage: Rule = {
  name: 'coverage',
  *check(tree) {
    yield* errorCodes(tree)
    yield* operations(tree)
  },
}

function* errorCodes(tree: Tree): Iterable<Finding> {
  const catalogue = tree.code.find(({ path }) => path === ERRORS_PATH)
  if (catalogue === undefined) return
  const used = new Set(
    tree.code.filter(({ path }) => path.startsWith('src/') && path !== ERRORS_PATH).flatMap((file) => strings(file)),
  )
  const documented = new Map(documentedCodes(tree).map(({ code, line }) => [code, line]))
  const rows = rowsOf(catalogue)
  for (const { code, line } of rows) {
    if (!used.has(code)) yield { file: ERRORS_PATH, line, reason: `${code} is used nowhere in src` }
    if (!documented.has(code)) yield { file: ERRORS_PATH, line, reason: `${code} has no row in ${ERRORS_DOC}` }
  }
  for (const [code, line] of documented) {
    if (!rows.some((row) => row.code === code))
      yield { file: ERRORS_DOC, line, reason: `${code} is not in ${ERRORS_PATH}` }
  }
}

/** The rows of the object literal `CATALOGUE`. */
function rowsOf(file: CodeFile): { code: string; line: number }[] {
  const declaration = file.nodes.find(
    (node) => isVariableDeclaration(node) && isIdentifier(node.name) && node.name.text === 'CATALOGUE',
  )
  let value: Node | undefined =
    declaration !== undefined && isVariableDeclaration(declaration) ? declaration.initializer : undefined
  while (value !== undefined && (isAsExpression(value) || isSatisfiesExpression(value))) value = value.expression
  if (value === undefined || !isObjectLiteralExpression(value)) return []
  return value.properties.flatMap((property) =>
    isPropertyAssignment(property) && isIdentifier(property.name)
      ? [{ code: property.name.text, line: file.line(property) }]
      : [],
  )
}

/** First cells of the table, in backticks. */
function documentedCodes(tree: Tree): { code: string; line: number }[] {
  if (!tree.paths.includes(ERRORS_DOC)) return []
  return tree
    .text(ERRORS_DOC)
    .split('\n')
    .flatMap((text, at) => {
      const code = /^\|\s*`(\w+)`\s*\|/.exec(text)?.[1]
      return code === undefined ? [] : [{ code, line: at + 1 }]
    })
}

/** The path of an operation, behind a prefix, stands in a wire test, or in a support file that a wire test imports. */
function* operations(tree: Tree): Iterable<Finding> {
  const files = new Map(tree.code.map((file) => [file.path, file]))
  const wireTests = tree.code.filter(({ path }) => /^test\/wire\/.*\.test\.ts$/.test(path))
  const support = wireTests.flatMap(({ imports }) => imports.flatMap(({ path }) => files.get(path ?? '') ?? []))
  const said = [...wireTests, ...support.filter(({ path }) => path.startsWith('test/'))].flatMap((file) =>
    strings(file).map(withoutPrefix),
  )
  for (const file of tree.code) {
    if (!file.path.startsWith('src/http/operations/')) continue
    for (const node of file.nodes) {
      if (!isPropertyAssignment(node) || node.name.getText() !== 'path' || !isStringLiteralLikeNode(node.initializer))
        continue
      const path = withoutPrefix(node.initializer.text)
      const isItem = /[*:]/.test(path)
      const start = path.replace(/[*:].*/, '')
      if (said.some((text) => (isItem ? text.startsWith(start) : text.split('?')[0] === path))) continue
      yield { file: file.path, line: file.line(node), reason: `no wire test names ${node.initializer.text}` }
    }
  }
}

const withoutPrefix = (path: string): string => path.replace(/^(\/api)?\/v1(?=\/)/, '')

const strings = (file: CodeFile): string[] =>
  file.nodes.flatMap((node) => (isStringLiteralLikeNode(node) || isTemplateLiteralLikeNode(node) ? [node.text] : []))
