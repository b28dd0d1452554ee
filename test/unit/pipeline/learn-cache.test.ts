import { expect, test } from 'bun:test'
import { NO_USAGE, type Usage } from '../../../src/domain/index.ts'
import { learnCache } from '../../../src/pipeline/learn-cache.ts'
import { ACCOUNT, createHouseDouble, MODEL } from '../../support/house.ts'
import { callAt, candidatesOf } from './support.ts'

/** What is known to be kept of a session's prompt after a request with this usage. */
function keptAfter(usage: Partial<Usage>, session: string | null = 's'): number | undefined {
  const world = createHouseDouble()
  const { sessions } = world.house.health
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  sessions.served({ accountId: ACCOUNT, session: 's', model: MODEL }, 'north')
  const { call } = callAt(world)
  const places = sessions.of(ACCOUNT, 's')
  Object.assign(call, { accountId: ACCOUNT, session: session === null ? null : { id: session, places } })
  learnCache(world.house, call, candidate.covered, { ...NO_USAGE, ...usage })
  return sessions.of(ACCOUNT, 's').get(MODEL)?.cachedTokens
}

test('a provider that reads or writes its cache has all of the prompt in it', () => {
  expect(keptAfter({ input: 100, cachedInput: 900, output: 5 })).toBe(1000)
  expect(keptAfter({ input: 100, cacheWrite: 400 })).toBe(500)
  expect(keptAfter({ input: 100, cacheWriteLong: 400 })).toBe(500)
})

test('one that reports no cache keeps nothing, and a request without a session says nothing', () => {
  expect(keptAfter({ input: 1000 })).toBe(0)
  expect(keptAfter({ cachedInput: 900 }, null)).toBe(0)
})
