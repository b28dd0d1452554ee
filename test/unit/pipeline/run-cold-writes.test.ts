import { describe, expect, test } from 'bun:test'
import { ask } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, type HouseDouble } from '../../support/house.ts'
import { coldHouse, sentBy } from './cold-kit.ts'
import { errorOf } from './support.ts'

/** Each is written while a cold request waits for the wave in which its old value was read. */
const WRITES: Readonly<Record<string, { write(world: HouseDouble): Promise<unknown>; code: string }>> = {
  'its key is revoked': {
    write: ({ house }) => house.accounts.revokeKey('key_test'),
    code: 'invalid_api_key',
  },
  'its key is disabled': {
    write: ({ house }) => house.accounts.updateKey({ id: 'key_test', change: { disabled: true }, version: null }),
    code: 'invalid_api_key',
  },
  'its key may use another model alone': {
    write: ({ house }) => house.accounts.updateKey({ id: 'key_test', change: { models: ['other'] }, version: null }),
    code: 'model_not_permitted',
  },
  'its key gets a policy': {
    write: ({ house }) =>
      house.accounts.updateKey({ id: 'key_test', change: { policy: { zeroRetention: true } }, version: null }),
    code: 'privacy_restricted',
  },
  'its key gets a limit that nothing meets': {
    write: ({ house }) =>
      house.accounts.updateKey({
        id: 'key_test',
        change: { limits: { requestsPerMinute: 1000, tokensPerMinute: 1, concurrency: null } },
        version: null,
      }),
    code: 'rate_limit_exceeded',
  },
  'its account is disabled': {
    write: ({ house }) => house.accounts.updateAccount({ id: ACCOUNT, change: { disabled: true }, version: null }),
    code: 'account_disabled',
  },
  'its account gets a policy': {
    write: ({ house }) =>
      house.accounts.updateAccount({ id: ACCOUNT, change: { policy: { zeroRetention: true } }, version: null }),
    code: 'privacy_restricted',
  },
}

describe.each(Object.entries(WRITES))('when %s', (_, { write, code }) => {
  test.each([1, 2, 0])('while wave %i is under way, the old value is never used again', async (wave) => {
    await using world = coldHouse()
    const { readGate } = world.store
    if (wave === 0) {
      readGate.letGo()
      expect((await ask(world).answer).status).toBe(200)
    }
    const before = wave === 0 ? null : ask(world).answer
    await settleMicrotasks()
    if (wave === 2) {
      readGate.release()
      await settleMicrotasks()
      expect(readGate.waiting.length).toBe(3)
    }
    await write(world)
    const after = ask(world).answer
    await settleMicrotasks()
    for (let turn = 0; turn < 8; turn++) {
      readGate.release()
      await settleMicrotasks()
    }
    for (const answer of before === null ? [after] : [before, after])
      expect((await errorOf(await answer)).error.code).toBe(code)
    expect(sentBy(world)).toBe(wave === 0 ? 1 : 0)
  })
})
