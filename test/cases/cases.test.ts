import { expect, test } from 'bun:test'
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
