import { expect, test } from 'bun:test'
import { allCases, listed, testCases } from './run-cases.ts'

/** The kinds that have a file of their own, so that the files take about as long as each other. */
const ELSEWHERE = ['billing', 'failover', 'runtime', 'concurrency', 'timeouts', 'clock']
const NOT_ON_THE_WIRE = ['db', 'ui']
const HERE = ['auth', 'embeddings', 'headers', 'models', 'ratelimit', 'request', 'security', 'sse', 'tools']

testCases(HERE)

test('every kind of case belongs to a file', () => {
  const known = [...HERE, ...ELSEWHERE, ...NOT_ON_THE_WIRE].sort()
  expect([...new Set(allCases.map(({ kind }) => kind))].sort()).toEqual(known)
})

test('later.json lists cases that exist', () => {
  const ids = allCases.map(({ id }) => id)
  expect(Object.keys(listed).filter((id) => !ids.includes(id))).toEqual([])
})
