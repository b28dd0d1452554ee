import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adapter } from './adapter.ts'
import type { Adapter } from './harness/adapter.ts'
import { whySkip } from './harness/run.ts'
import { OWN_TESTS } from './own-tests.ts'
import { allCases, listed, testCases } from './run-cases.ts'

/** The kinds of the other files here: each file takes about as long as the next. */
const ELSEWHERE = [
  ['billing', 'clock'],
  ['failover'],
  ['auth', 'embeddings', 'headers', 'models', 'ratelimit', 'request', 'security'],
  ['concurrency', 'runtime'],
].flat()
const HERE = ['sse', 'timeouts', 'tools']
const NOT_ON_THE_WIRE = ['db', 'ui']

testCases(HERE)

test('every kind of case belongs to a file', () => {
  const known = [...HERE, ...ELSEWHERE, ...NOT_ON_THE_WIRE].sort()
  expect([...new Set(allCases.map(({ kind }) => kind))].sort()).toEqual(known)
})

test('later.json lists cases that exist', () => {
  const ids = allCases.map(({ id }) => id)
  expect(Object.keys(listed).filter((id) => !ids.includes(id))).toEqual([])
})

test('what is not played on the wire has tests of our own, and they are there', () => {
  const inThisProcess: Adapter = { ...adapter, supports: (hook) => hook === 'restart' } // where the fewest are played
  const left = allCases.filter((testCase) => whySkip(testCase, inThisProcess) !== null).map(({ id }) => id)
  expect(Object.keys(OWN_TESTS).sort()).toEqual(left.sort())
  const read = (file: string): string => readFileSync(join(import.meta.dir, '../..', file), 'utf8')
  for (const [file, words] of Object.values(OWN_TESTS).flat()) expect(read(file)).toContain(words)
})
