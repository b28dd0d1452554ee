import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  type Node,
} from 'typescript/unstable/ast'
import type { Rule } from '../rule.ts'

const FREE = /^src\/(lib|config)\/|^src\/main\.ts$/
/** What a file may do all the same, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/store/sqlite/faults.ts': 'Bun.sleepSync', // a disk that is slow because a test asks for it: no clock makes a thread block
}
const READS = new Set([
  'Date.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'performance.now',
  'performance.timeOrigin',
  'process.env',
  'process.hrtime',
  'Bun.env',
  'Bun.nanoseconds',
  'Bun.sleep',
  'Bun.sleepSync',
  'AbortSignal.timeout',
])
const CALLS = new Set(['setTimeout', 'setInterval', 'Date'])
const IMPORTED = new Set(['node:timers', 'node:timers/promises', 'node:perf_hooks'])
const IMPORTED_NAMES = new Set(['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync', 'env', 'hrtime'])

/** 6: time, chance, timers and the environment come as arguments: only `lib`, `config` and `main` read them. */
export const timeAndChance: Rule = {
  name: 'time-and-chance',
  *check({ code }) {
    for (const file of code) {
      if (!file.path.startsWith('src/') || FREE.test(file.path)) continue
      for (const { specifier, line } of file.imports) {
        if (IMPORTED.has(specifier)) yield { file: file.path, line, reason: `${specifier}: take a Clock` }
      }
      for (const node of file.nodes) {
        const read = readBy(node)
        if (read !== null && ALLOWED[file.path] !== read) {
          yield { file: file.path, line: file.line(node), reason: `${read}: take a Clock, a Random or a setting` }
        }
      }
    }
  },
}

function readBy(node: Node): string | null {
  if (isPropertyAccessExpression(node)) {
    const name = isIdentifier(node.expression) ? `${node.expression.text}.${node.name.text}` : ''
    return READS.has(name) || node.getText() === 'import.meta.env' ? name || 'import.meta.env' : null
  }
  if (!isCallExpression(node) && !isNewExpression(node)) return null
  if (!isIdentifier(node.expression)) return null
  const name = node.expression.text
  const readsNoClock = name === 'Date' && isNewExpression(node) && (node.arguments?.length ?? 0) > 0
  return (CALLS.has(name) && !readsNoClock) || IMPORTED_NAMES.has(name) ? name : null
}
