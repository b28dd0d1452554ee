import { basename } from 'node:path'
import type { CodeFile } from '../read-tree.ts'
import type { Rule } from '../rule.ts'
import { words } from '../words.ts'

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/
/** Files that gather what belongs together, by design: no single main export. */
const GATHERING = /^src\/domain\/|\/index\.ts$|[/-](contract|protocol|schema|dialect)\.ts$|^src\/main\.ts$/

/**
 * 5: named exports, kebab-case, and a file of `src` is named after its main export (`ledger.ts`: `createLedger`), which comes first:
 * only types that it takes or gives may stand before it. A file of types alone has no main export.
 */
export const names: Rule = {
  name: 'names',
  *check({ code }) {
    for (const file of code) {
      const folders = file.path.split('/')
      for (const part of [...folders.slice(0, -1), stemOf(file.path)]) {
        if (!KEBAB_CASE.test(part)) yield { file: file.path, line: 1, reason: `${part} is not kebab-case` }
      }
      for (const { kind, line } of file.exports) {
        if (kind === 'default') yield { file: file.path, line, reason: 'exports have names' }
      }
      const first = misnamed(file)
      if (first !== null) yield { file: file.path, line: first.line, reason: first.reason }
    }
  },
}

const stemOf = (path: string): string => basename(path).replace(/(\.test|\.d)?\.tsx?$/, '')

function misnamed({ path, exports }: CodeFile): { line: number; reason: string } | null {
  if (!path.startsWith('src/') || GATHERING.test(path)) return null
  const wanted = stemOf(path)
  const main = exports.findIndex(({ name }) => isNamedAfter(words(name), words(wanted)))
  const firstAt = exports.findIndex(({ kind }) => kind !== 'type')
  const first = exports[firstAt]
  if (first === undefined || (main >= 0 && main <= firstAt)) return null
  const remedy = main < 0 ? 'nothing here is called so' : `${exports[main]?.name} is the main export and comes first`
  return { line: first.line, reason: `the first export is ${first.name}, the file ${wanted}: ${remedy}` }
}

/** `create-ledger` holds the words of `ledger`; one and many are the same. */
function isNamedAfter(name: readonly string[], file: readonly string[]): boolean {
  const one = (word: string) => word.replace(/s$/, '')
  return ` ${name.map(one).join(' ')} `.includes(` ${file.map(one).join(' ')} `)
}
