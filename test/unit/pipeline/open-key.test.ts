import { expect, test } from 'bun:test'
import { type Key, money, NO_LIMITS } from '../../../src/domain/index.ts'
import { isKeyWarm, openKey } from '../../../src/pipeline/open-key.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble } from '../../support/house.ts'

const PLAIN: Key = {
  id: 'key_test',
  accountId: ACCOUNT,
  name: 'k',
  prefix: 'sk',
  ...NO_LIMITS,
  revoked: false,
  version: 1,
}
const BUDGETS = { total: null, day: money(5), week: null, month: null }
const LIMITS = { requestsPerMinute: 1, tokensPerMinute: null, concurrency: null }

test.each([
  ['neither', PLAIN, []],
  ['budgets', { ...PLAIN, budgets: BUDGETS }, ['spend key_test']],
  ['limits', { ...PLAIN, limits: LIMITS }, ['window key_test']],
  ['both', { ...PLAIN, budgets: BUDGETS, limits: LIMITS }, ['spend key_test', 'window key_test']],
])('a key with %s reads what it needs, at once, and once', async (_what, key, reads) => {
  const world = createHouseDouble()
  world.store.readGate.holdBack()
  expect(isKeyWarm(world.house, key)).toBe(reads.length === 0)
  const opened = Promise.all([openKey(world.house, key), openKey(world.house, key)])
  await settleMicrotasks()
  expect(world.store.readGate.waiting.toSorted()).toEqual([...reads])
  world.store.readGate.letGo()
  await opened
  expect(isKeyWarm(world.house, key)).toBe(true)
  await openKey(world.house, key)
  expect(world.store.readGate.begun).toBe(reads.length)
})
