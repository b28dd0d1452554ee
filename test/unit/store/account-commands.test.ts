import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { budgetDays, DEFAULT_POLICY, money, NO_LIMITS, NO_TERMS } from '../../../src/domain/index.ts'
import { codeOf, fundedAccount, holdOf, type StoreKit, settled, storeKit } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const TERMS = {
  disabled: true,
  models: ['acme/m'],
  expiresAtMs: 1_900_000_000_000,
  addresses: ['10.0.0.0/8', '2001:db8::/32'],
  budgets: { total: money(7), day: money(0), week: null, month: null },
  limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrency: 2 },
  policy: { ...DEFAULT_POLICY, allowForeign: true, regions: ['ca'], zeroRetention: true, only: ['acme'] },
}

describe('keys', () => {
  test('have all their terms back, from the main thread and from the reader', async () => {
    const { writer, reads, reader } = kit.store
    const wish = { id: 'key_2', accountId: 'acc_1', name: 'k', hash: 'h2', prefix: 'sk-2', ...TERMS, createdAtMs: 4 }
    const key = await writer.createKey(wish)
    expect(key).toMatchObject({ ...TERMS, revoked: false, version: 1 })
    expect(await reads.keyByHash('h2')).toEqual(key)
    expect(await reader.key('key_2')).toEqual(key)
    expect(await reader.keys('acc_1', { limit: 9, after: 'key_1' })).toEqual([key])
    expect(await reader.key('key_none')).toBeNull()
  })

  test('a change lays itself over the terms, counts the version, and answers the hash', async () => {
    const { writer, reads } = kit.store
    const first = await writer.updateKey({ id: 'key_1', change: TERMS, version: 1 })
    expect(first).toMatchObject({ hash: 'hash-1', key: { name: 'first', ...TERMS, version: 2 } })
    const change = { name: 'second', models: null, budgets: { day: null }, limits: { concurrency: null } }
    const { key } = await writer.updateKey({ id: 'key_1', change, version: null })
    expect(key).toMatchObject({
      name: 'second',
      models: null,
      addresses: TERMS.addresses,
      budgets: { total: money(7), day: null, week: null, month: null },
      limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrency: null },
      version: 3,
    })
    expect(await reads.keyByHash('hash-1')).toEqual(key)
    const bare = {
      budgets: { total: null },
      limits: { requestsPerMinute: null },
      addresses: null,
      expiresAtMs: null,
      policy: DEFAULT_POLICY,
      disabled: false,
    }
    expect((await writer.updateKey({ id: 'key_1', change: bare, version: 3 })).key).toMatchObject(NO_LIMITS)
  })

  test('a change of another version, of no key, or out of range changes nothing', async () => {
    const { writer, reads } = kit.store
    const before = await reads.keyByHash('hash-1')
    const change = { name: 'x' }
    const codes = await Promise.all([
      codeOf(writer.updateKey({ id: 'key_1', change, version: 2 })),
      codeOf(writer.updateKey({ id: 'key_none', change, version: null })),
      codeOf(writer.updateKey({ id: 'key_1', change: { name: 'x', limits: { concurrency: 0 } }, version: null })),
    ])
    expect(codes).toEqual(['precondition_failed', 'not_found', 'invalid_request'])
    expect(await reads.keyByHash('hash-1')).toEqual(before)
  })

  test('revoking counts the version once', async () => {
    const { writer } = kit.store
    expect((await writer.revokeKey('key_1')).key.version).toBe(2)
    expect((await writer.revokeKey('key_1')).key.version).toBe(2)
  })
})

describe('accounts', () => {
  test('are renamed, disabled and enabled; their balance and its moves are no change of theirs', async () => {
    const { writer, reads } = kit.store
    const changed = await writer.updateAccount({ id: 'acc_1', change: { name: 'new', disabled: true }, version: 1 })
    expect(changed).toEqual({ id: 'acc_1', name: 'new', kind: 'prepaid', disabled: true, ...NO_TERMS, version: 2 })
    expect(await reads.account('acc_1')).toEqual({ account: changed, balance: money(1_000_000), credentials: [] })
    const enabled = await writer.updateAccount({ id: 'acc_1', change: { disabled: false }, version: 2 })
    expect(enabled).toMatchObject({ name: 'new', disabled: false, version: 3 })
  })

  test('have all their terms back; a change lays itself over them', async () => {
    const { writer, reads, reader } = kit.store
    const policy = { ...DEFAULT_POLICY, allowForeign: true, ownerships: ['ca'], ignore: ['south'] }
    const wish = { id: 'acc_2', name: 'bound', kind: 'prepaid', createdAtMs: 1, models: ['a/b'], policy } as const
    const made = await writer.createAccount(wish)
    expect(made).toMatchObject({ models: ['a/b'], policy, version: 1 })
    const change = { models: null, policy: { allowForeign: false, zeroRetention: true } }
    const changed = await writer.updateAccount({ id: 'acc_2', change, version: 1 })
    expect(changed).toMatchObject({ models: null, policy: { ...policy, ...change.policy }, version: 2 })
    expect((await reads.account('acc_2'))?.account).toEqual(changed)
    expect((await reader.accounts({ limit: 9, after: 'acc_1' }))[0]?.account).toEqual(changed)
    const bare = { policy: { ownerships: null, ignore: null, zeroRetention: false } }
    expect((await writer.updateAccount({ id: 'acc_2', change: bare, version: 2 })).policy).toEqual(DEFAULT_POLICY)
  })

  test('a policy that cannot be read is an error, never none', async () => {
    const raw = kit.raw()
    raw.run(`UPDATE account SET policy = '{"regions":["ca"],"newer":1}' WHERE id = 'acc_1'`)
    raw.close()
    expect(await codeOf(kit.store.reads.account('acc_1'))).toBe('storage_unavailable')
    expect(await codeOf(kit.store.reader.accounts({ limit: 9, after: null }))).toBe('storage_unavailable')
    const { writer } = kit.store
    const others = writer.createAccount({ id: 'acc_9', name: 'other', kind: 'prepaid', createdAtMs: 1 })
    const change = { policy: { zeroRetention: true } }
    expect(await codeOf(writer.updateAccount({ id: 'acc_1', change, version: null }))).toBe('storage_unavailable')
    expect(await others).toMatchObject({ id: 'acc_9' })
    expect(writer.accepting()).toBe(true)
  })

  test('a key whose policy cannot be read is not changed by what is refused', async () => {
    const raw = kit.raw()
    raw.run(`UPDATE key SET policy = '{"newer":1}' WHERE id = 'key_1'`)
    const { writer } = kit.store
    const renamed = writer.updateKey({ id: 'key_1', change: { name: 'second' }, version: 1 })
    expect(await codeOf(renamed)).toBe('storage_unavailable')
    expect(await codeOf(writer.revokeKey('key_1'))).toBe('storage_unavailable')
    const row = raw.prepare(`SELECT name, version, revoked_at_ms FROM key WHERE id = 'key_1'`).get()
    raw.close()
    expect(row).toEqual({ name: 'first', version: 1, revoked_at_ms: null })
  })

  test('refusals', async () => {
    const { writer, reads } = kit.store
    await writer.createAccount({ id: 'acc_2', name: 'taken', kind: 'prepaid', createdAtMs: 1 })
    const codes = await Promise.all([
      codeOf(writer.updateAccount({ id: 'acc_1', change: { name: 'taken' }, version: null })),
      codeOf(writer.updateAccount({ id: 'acc_1', change: { name: 'x' }, version: 9 })),
      codeOf(writer.updateAccount({ id: 'acc_none', change: { name: 'x' }, version: null })),
    ])
    expect(codes).toEqual(['conflict', 'precondition_failed', 'not_found'])
    expect((await reads.account('acc_1'))?.account).toMatchObject({ name: 'acme', version: 1 })
  })
})

describe('what keys have used', () => {
  const DAY_MS = 86_400_000
  const WEDNESDAY = Date.UTC(2026, 3, 1) // the first of a month

  async function spend(requestId: string, charged: number, heldAtMs: number): Promise<void> {
    const { writer } = kit.store
    await writer.hold({ ...holdOf(requestId), openedAtMs: heldAtMs })
    await writer.settle({ ...settled(requestId, charged), heldAtMs, endedAtMs: WEDNESDAY + 5 * DAY_MS })
  }

  test('is summed by the day of the hold: all, and since the beginning of each window', async () => {
    const { reads, reader } = kit.store
    await Promise.all([
      spend('req_1', 1, WEDNESDAY - 40 * DAY_MS),
      spend('req_2', 20, WEDNESDAY - DAY_MS), // the same week, another month
      spend('req_3', 300, WEDNESDAY),
      spend('req_4', 4000, WEDNESDAY + DAY_MS + 1),
      spend('req_5', 4000, WEDNESDAY + DAY_MS + 2),
    ])
    const now = budgetDays(WEDNESDAY + DAY_MS + 5)
    expect<unknown>(await reads.keySpend('key_1', now)).toEqual({ total: 8321, day: 8000, week: 8320, month: 8300 })
    expect<unknown>(await reads.keySpend('key_none', now)).toEqual({ total: 0, day: 0, week: 0, month: 0 })
    expect((await reader.verify()).faults).toEqual([])
  })

  test('a settlement that comes twice counts once', async () => {
    const { writer, reads } = kit.store
    await Promise.all([writer.settle(settled('req_1', 7)), writer.settle(settled('req_1', 7))])
    expect<number>((await reads.keySpend('key_1', budgetDays(5))).total).toBe(7)
  })

  test('what recovery settles counts too', async () => {
    const { writer } = kit.store
    await writer.hold({ ...holdOf('req_1', 500), openedAtMs: WEDNESDAY })
    writer.checkpoint('req_1', { offer: 'acme/small', deliveredUnits: 10 })
    const { reads, reader } = await kit.reopen()
    expect<unknown>(await reads.keySpend('key_1', budgetDays(WEDNESDAY))).toMatchObject({ day: 120, total: 120 })
    expect((await reader.verify()).faults).toEqual([])
  })

  test('parts of a window go out with the next batch, as they are then; old ones go', async () => {
    const { writer, reads } = kit.store
    const part = { keyId: 'key_1', firstAtMs: 1000, lastAtMs: 1000, requests: 1, tokens: 5 }
    writer.window(part)
    writer.window(part)
    Object.assign(part, { lastAtMs: 1900, requests: 2, tokens: 9 })
    await writer.hold(holdOf('req_1'))
    expect(await reads.keyWindow('key_1', 1899)).toEqual([part])
    expect(await reads.keyWindow('key_1', 1900)).toEqual([])
    writer.window({ ...part, firstAtMs: 999_000, lastAtMs: 999_000 })
    await writer.hold(holdOf('req_2'))
    expect(await reads.keyWindow('key_1', 0)).toMatchObject([{ firstAtMs: 999_000 }])
  })

  test('parts of a window survive a close without another batch, and a batch that failed', async () => {
    const part = { keyId: 'key_1', firstAtMs: 1000, lastAtMs: 1000, requests: 1, tokens: 5 }
    await kit.faults.set({ failCommits: 1, commitCode: 'SQLITE_FULL' })
    kit.store.writer.window(part)
    expect(await codeOf(kit.store.writer.hold(holdOf('req_1')))).toBe('storage_unavailable')
    const { reads } = await kit.reopen()
    expect(await reads.keyWindow('key_1', 0)).toEqual([part])
  })
})
