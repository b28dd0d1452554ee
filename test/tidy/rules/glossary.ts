import { isIdentifier, isPropertyAssignment, isStringLiteral } from 'typescript/unstable/ast'
import type { Tree } from '../read-tree.ts'
import type { Finding, Rule } from '../rule.ts'
import { words } from '../words.ts'

/** The machine's list of docs/GLOSSARY.md: a word that has another name here. */
const WORDS: Readonly<Record<string, string>> = {
  upstream: 'backend or provider',
  vendor: 'provider',
  channel: 'provider or credential',
  endpoint: 'backend or operation',
  deployment: 'backend',
  failover: 'fallback',
  hop: 'attempt',
  lease: 'slot',
  permit: 'slot',
  tenant: 'account',
}
/** Its `upstream` is a public word. */
const SERVER_TIMING = 'src/pipeline/timing.ts'
/** Words of others: Server-Timing's `upstream`, HTTP's hop-by-hop headers. */
const OTHERS = /^upstream_?(us|ms|desc)?$|hop_?by_?hop/i

/** 8: one word for one thing, in exported names, tables, columns and the fields of the admin API. */
export const glossary: Rule = {
  name: 'glossary',
  *check(tree) {
    for (const file of tree.code) {
      if (!file.path.startsWith('src/') || file.path === SERVER_TIMING) continue
      for (const { name, line } of file.exports) yield* judge(file.path, line, name)
      if (!file.path.startsWith('src/http/admin/')) continue
      for (const node of file.nodes) {
        if (!isPropertyAssignment(node)) continue
        const field = isIdentifier(node.name) || isStringLiteral(node.name) ? node.name.text : ''
        yield* judge(file.path, file.line(node), field)
      }
    }
    yield* inMigrations(tree)
  },
}

function* judge(file: string, line: number, name: string): Iterable<Finding> {
  if (OTHERS.test(name)) return
  for (const word of words(name)) {
    const better = WORDS[word] ?? WORDS[word.replace(/s$/, '')]
    if (better !== undefined) yield { file, line, reason: `${name}: "${word}" is called ${better} here` }
  }
}

function* inMigrations(tree: Tree): Iterable<Finding> {
  for (const path of tree.paths) {
    if (!/^migrations\/.*\.sql$/.test(path)) continue
    for (const [at, text] of tree.text(path).split('\n').entries()) {
      const names =
        text
          .replace(/--.*/, '')
          .replaceAll(/'[^']*'/g, '')
          .match(/[A-Za-z_]+/g) ?? []
      for (const name of names) yield* judge(path, at + 1, name)
    }
  }
}
