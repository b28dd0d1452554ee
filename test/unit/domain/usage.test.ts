import { expect, test } from 'bun:test'
import { completionTokens, NO_USAGE, promptTokens } from '../../../src/domain/index.ts'

test('the kinds of a usage do not overlap: prompt and answer are their sums', () => {
  const usage = { input: 1, cachedInput: 10, cacheWrite: 100, output: 1000, reasoning: 10_000 }
  expect(promptTokens(usage)).toBe(111)
  expect(completionTokens(usage)).toBe(11_000)
  expect([promptTokens(NO_USAGE), completionTokens(NO_USAGE)]).toEqual([0, 0])
})
