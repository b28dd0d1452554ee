import { expect, test } from 'bun:test'
import { UNKNOWN_LAST } from '../../../../src/pipeline/route/chosen-sort.ts'
import { observedKey } from '../../../../src/pipeline/route/observed-key.ts'
import { worldOf } from './route-kit.ts'
import { offerAt, PLAIN, seenWorld } from './wish-kit.ts'

const { offer } = offerAt({ id: 'north' })
const keyIn = (world: ReturnType<typeof worldOf>, seed?: string) =>
  observedKey(offer, world, seed === undefined ? PLAIN : { ...PLAIN, seed }, (seen) => seen.firstContentP50Ms)
/** In how many of a thousand requests it comes first. */
const firsts = (world: ReturnType<typeof worldOf>): number =>
  Array.from({ length: 1000 }, (_, at) => keyIn(world, `req_${at}`)).filter((key) => key === -UNKNOWN_LAST).length

test('what was observed, as it is', () => {
  const world = seenWorld({ north: { firstContentP50Ms: 120, samples: 1 } })
  expect(new Set(Array.from({ length: 100 }, (_, at) => keyIn(world, String(at))))).toEqual(new Set([120]))
})

test('who was sent nothing lately comes first once in fifty requests, else last; the same request always the same', () => {
  const untried = seenWorld({ south: { firstContentP50Ms: 120 } })
  expect(firsts(untried)).toBeWithin(8, 40)
  expect(firsts(untried)).toBe(firsts(untried))
  expect(firsts(seenWorld({ north: { samples: 0 } }))).toBeWithin(8, 40)
  expect(keyIn(untried)).toBe(UNKNOWN_LAST)
})

test('who was sent something and showed no time is not tried for it; nor is anybody while nothing is known', () => {
  expect(firsts(seenWorld({ north: { samples: 1, successRate: 0 } }))).toBe(0)
  expect(firsts(worldOf())).toBe(0)
})
