import { isCallExpression, isFunctionLikeDeclaration, isIdentifier, type Node } from 'typescript/unstable/ast'
import type { CodeFile } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'

const LINES_MAX = { file: 300, fileHard: 500, run: 120, function: 70 } as const

/** Files that are larger, with their exact number of lines: growing fails, and so does shrinking without lowering the number. */
const ALLOWED_PATH = 'test/tidy/allowed-sizes.json'

/** 4: sizes. The list of larger files may only shrink; a function has no exception. */
export const sizes: Rule = {
  name: 'sizes',
  *check(tree) {
    const allowed: Readonly<Record<string, number>> = tree.paths.includes(ALLOWED_PATH)
      ? JSON.parse(tree.text(ALLOWED_PATH))
      : {}
    for (const file of tree.code) {
      yield* largeFunctions(file)
      const lines = linesOf(file)
      const linesMax = file.path === 'src/pipeline/run.ts' ? LINES_MAX.run : LINES_MAX.file
      if (lines > linesMax && allowed[file.path] !== lines) {
        yield { file: file.path, line: 1, reason: `${lines} lines, ${linesMax} is the most` }
      }
    }
    const now = new Map(tree.code.map((file) => [file.path, linesOf(file)]))
    for (const [path, lines] of Object.entries(allowed)) {
      const at = { file: ALLOWED_PATH, line: 1 }
      const linesNow = now.get(path) ?? 0
      if (linesNow <= LINES_MAX.file) yield { ...at, reason: `${path} is small enough now: remove it` }
      else if (linesNow < lines) yield { ...at, reason: `${path} has ${linesNow} lines now: lower its number` }
      if (lines > LINES_MAX.fileHard)
        yield { ...at, reason: `${path}: ${LINES_MAX.fileHard} lines is the most, always` }
    }
  },
}

const linesOf = (file: CodeFile): number => file.text.split('\n').length - 1

function* largeFunctions(file: CodeFile): Iterable<Finding> {
  for (const node of file.nodes) {
    if (!isFunctionLikeDeclaration(node) || isDescribe(node)) continue
    const line = file.line(node)
    const lines = file.lineAt(node.end) - line + 1
    if (lines <= LINES_MAX.function) continue
    yield { file: file.path, line, reason: `${nameOf(node)} has ${lines} lines, ${LINES_MAX.function} is the most` }
  }
}

/** The body of a `describe` holds tests, it is no function in itself. */
function isDescribe(node: Node): boolean {
  const call = node.parent
  return isCallExpression(call) && isIdentifier(call.expression) && call.expression.text === 'describe'
}

function nameOf(node: Node): string {
  for (const { name } of [node, node.parent] as { name?: Node }[]) if (name && isIdentifier(name)) return name.text
  return 'a function'
}
