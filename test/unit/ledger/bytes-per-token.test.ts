import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../../src/domain/index.ts'
import { createBytesPerToken } from '../../../src/ledger/index.ts'

function learnAll(ratios: readonly number[], offer = 'north/m1', learner = createBytesPerToken()) {
  for (const ratio of ratios)
    learner.learn(offer, { promptTextBytes: ratio * 1000, promptMediaUnits: 0 }, { ...NO_USAGE, input: 1000 })
  return learner
}

test('starts at 3 for every offer, and learns each by itself', () => {
  const learner = learnAll(Array(500).fill(4))
  expect(learner.of('north/m1')).toBeCloseTo(4, 5)
  expect(learner.of('south/m1')).toBe(3)
})

test('rests at a low percentile of what was reported: most prompts have fewer tokens than reckoned', () => {
  // 2.00 to 4.99 bytes per token, in a fixed scattered order
  const ratios = Array.from({ length: 20_000 }, (_, at) => 2 + ((at * 7919) % 300) / 100)
  const learned = learnAll(ratios).of('north/m1')
  const below = ratios.filter((ratio) => ratio < learned).length / ratios.length
  expect(below).toBeGreaterThan(0.03)
  expect(below).toBeLessThan(0.2)
})

test('falls quickly and rises slowly', () => {
  const fell = 3 - learnAll([2]).of('north/m1')
  const rose = learnAll([5]).of('north/m1') - 3
  expect(fell).toBeCloseTo(rose * 9, 10)
})

test('stays between 1.5 and 6, whatever a provider reports', () => {
  expect(learnAll(Array(1000).fill(0.3)).of('north/m1')).toBe(1.5)
  expect(learnAll(Array(5000).fill(1000)).of('north/m1')).toBe(6)
})

test('learns nothing from short prompts, from media, and from a report of no tokens', () => {
  const learner = createBytesPerToken()
  const usage = { ...NO_USAGE, input: 1000 }
  learner.learn('o', { promptTextBytes: 255, promptMediaUnits: 0 }, usage)
  learner.learn('o', { promptTextBytes: 1000, promptMediaUnits: 85 }, usage)
  learner.learn('o', { promptTextBytes: 1000, promptMediaUnits: 0 }, NO_USAGE)
  learner.learn('o', { promptTextBytes: 1000, promptMediaUnits: 1 }, usage)
  expect(learner.of('o')).toBe(3)
  learner.learn('o', { promptTextBytes: 256, promptMediaUnits: 0 }, usage)
  expect(learner.of('o')).toBeLessThan(3)
})

test('cached tokens and cache writes are tokens of the prompt', () => {
  const learner = createBytesPerToken()
  const usage = { ...NO_USAGE, cachedInput: 600, cacheWrite: 400 }
  for (let at = 0; at < 100; at++) learner.learn('o', { promptTextBytes: 2000, promptMediaUnits: 0 }, usage)
  expect(learner.of('o')).toBeCloseTo(2, 5)
})

test('learns nothing at accounts’ own places', () => {
  expect(learnAll(Array(100).fill(6), 'own:cred_1/m1').of('own:cred_1/m1')).toBe(3)
})
