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
