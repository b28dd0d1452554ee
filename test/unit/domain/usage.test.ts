import { expect, test } from 'bun:test'
import { completionTokens, furtherUnits, NO_USAGE, promptTokens, USAGE_KINDS } from '../../../src/domain/index.ts'

test('the kinds of a usage do not overlap: prompt and answer are their sums', () => {
  const usage = { input: 1, cachedInput: 10, cacheWrite: 100, output: 1000, reasoning: 10_000 }
  expect(promptTokens(usage)).toBe(111)
  expect(completionTokens(usage)).toBe(11_000)
  expect([promptTokens(NO_USAGE), completionTokens(NO_USAGE)]).toEqual([0, 0])
})

test('tokens of media are among them; pictures, sound, characters and searches are no tokens', () => {
  const all = Object.fromEntries(USAGE_KINDS.map((kind, at) => [kind, 2 ** at]))
  const sum = (...kinds: (typeof USAGE_KINDS)[number][]): number =>
    kinds.reduce((total, kind) => total + 2 ** USAGE_KINDS.indexOf(kind), 0)
  expect(promptTokens({ ...NO_USAGE, ...all })).toBe(
    sum(
      'input',
      'cachedInput',
      'cacheWrite',
      'cacheWriteLong',
      'inputAudio',
      'cachedInputAudio',
      'inputImage',
      'cachedInputImage',
    ),
  )
  expect(completionTokens({ ...NO_USAGE, ...all })).toBe(sum('output', 'reasoning', 'outputAudio', 'outputImage'))
})

test('the kinds that few requests have: those that are more than 0', () => {
  expect(furtherUnits(NO_USAGE)).toBeNull()
  expect(furtherUnits({ images: 0, searches: 2, inputAudio: 1 })).toEqual({ inputAudio: 1, searches: 2 })
})
