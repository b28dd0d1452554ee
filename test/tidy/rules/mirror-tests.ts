import {
  isExportDeclaration,
  isImportDeclaration,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
} from 'typescript/unstable/ast'
import type { CodeFile } from '../read-tree.ts'
import type { Rule } from '../rule.ts'

const ROOMS = /^src\/(pipeline|ledger|agents|health|dialects)\//

/** 12: in the rooms where mistakes cost most, each file that does something has its own unit test. */
export const mirrorTests: Rule = {
  name: 'mirror-tests',
  *check({ code, paths }) {
    const known = new Set(paths)
    for (const file of code) {
      if (!ROOMS.test(file.path) || file.path.endsWith('/index.ts') || !doesSomething(file)) continue
      const mirror = file.path.replace(/^src\//, 'test/unit/').replace(/\.ts$/, '.test.ts')
      if (!known.has(mirror)) yield { file: file.path, line: 1, reason: `there is no ${mirror}` }
    }
  },
}

/** Types, imports and re-exports do nothing. */
const doesSomething = ({ ast }: CodeFile): boolean =>
  ast.statements.some(
    (node) =>
      !isInterfaceDeclaration(node) &&
      !isTypeAliasDeclaration(node) &&
      !isImportDeclaration(node) &&
      !isExportDeclaration(node),
  )
