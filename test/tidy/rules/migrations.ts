import { createHash } from 'node:crypto'
import type { Tree } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'

const HASHES_PATH = 'migrations/hashes.json'
const NAME = /^migrations\/(ledger|records)\/(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/

/** 11: migrations are numbered without a gap, hashed, and never changed or taken away. */
export const migrations: Rule = {
  name: 'migrations',
  *check(tree) {
    const files = tree.paths.filter((path) => path.startsWith('migrations/') && path !== HASHES_PATH)
    const counts = new Map<string, number>()
    for (const file of files) {
      const [, database = '', number] = NAME.exec(file) ?? []
      if (number === undefined) {
        yield { file, line: 1, reason: 'not named migrations/<ledger|records>/<NNNN>-<what>.sql' }
        continue
      }
      const next = (counts.get(database) ?? 0) + 1
      counts.set(database, next)
      if (Number(number) !== next) yield { file, line: 1, reason: `number ${number} where ${next} is due` }
    }
    yield* compare(tree, files)
  },
}

function* compare(tree: Tree, files: readonly string[]): Iterable<Finding> {
  const hashes: Readonly<Record<string, string>> = tree.paths.includes(HASHES_PATH)
    ? JSON.parse(tree.text(HASHES_PATH))
    : {}
  for (const file of files) {
    const hash = createHash('sha256').update(tree.text(file)).digest('hex')
    const listed = hashes[file]
    if (listed === undefined) yield { file, line: 1, reason: `add to ${HASHES_PATH}: "${file}": "${hash}"` }
    else if (listed !== hash) {
      yield {
        file,
        line: 1,
        reason: `changed since it was listed (now ${hash}): what is out is never changed, add a new one`,
      }
    }
  }
  for (const file of Object.keys(hashes)) {
    if (!files.includes(file)) yield { file: HASHES_PATH, line: 1, reason: `${file} was taken away` }
  }
}
