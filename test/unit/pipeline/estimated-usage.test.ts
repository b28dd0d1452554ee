import { expect, test } from 'bun:test'
import { money, NO_USAGE } from '../../../src/domain/index.ts'
import { estimatedUsage } from '../../../src/pipeline/estimated-usage.ts'
import { createHouseDouble } from '../../support/house.ts'
import { candidatesOf } from './support.ts'

test('the prompt as it was reckoned, and the text at the bytes per token of this offer', () => {
  const world = createHouseDouble()
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const bytesPerToken = world.house.bytesPerToken.of(candidate.covered.offer)
  expect(estimatedUsage(world.house, candidate.covered, 100 * bytesPerToken)).toEqual({
    ...NO_USAGE,
    input: 10,
    output: 100,
  })
  expect(estimatedUsage(world.house, candidate.covered, 0)).toEqual({ ...NO_USAGE, input: 10, output: money(0) })
})

test('of what the provider told of the prompt, its words count, with what the request fixes', () => {
  const world = createHouseDouble()
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const covered = { ...candidate.covered, asked: { images: 2 } }
  const bytesPerToken = world.house.bytesPerToken.of(covered.offer)
  const prompt = { ...NO_USAGE, input: 3, cachedInput: 4, output: 1 }
  expect(estimatedUsage(world.house, covered, 100 * bytesPerToken, prompt)).toEqual({
    ...NO_USAGE,
    input: 3,
    cachedInput: 4,
    output: 100,
    images: 2,
  })
})
