import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DEFAULT_POLICY, money, NO_LIMITS } from '../../../src/domain/index.ts'
import type { WebhookEvent } from '../../../src/store/index.ts'
import { codeOf, fundedAccount, holdOf, type StoreKit, settled, storeKit, topUp } from './store-kit.ts'

const DAY_MS = 86_400_000

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store, 1000)
})
afterEach(() => kit.end())

const setHook = (lowBalance: number | null, sealed: string | null = 'c2VhbGVk') =>
  kit.store.writer.setWebhook({
    accountId: 'acc_1',
    url: 'https://a.example/',
    lowBalance: lowBalance === null ? null : money(lowBalance),
    sealed,
    updatedAtMs: 7,
  })
const events = (): Promise<readonly WebhookEvent[]> => kit.store.reader.events('acc_1', { limit: 99, after: null })
const told = async (): Promise<unknown[]> => (await events()).map(({ kind, data }) => ({ kind, ...data })).reverse()
const spend = (requestId: string, charged: number, heldAtMs = 5) =>
  kit.store.writer.settle({ ...settled(requestId, charged), heldAtMs })

describe('a balance below its mark', () => {
  const low = (balance: number) =>
    expect.objectContaining({ kind: 'balance.low', balance_nano: balance, low_balance_nano: 500 })

  test('is told once, with the settlement that brought it there', async () => {
    await setHook(500)
    await spend('req_1', 400)
    expect(await told()).toEqual([])
    await Promise.all([spend('req_2', 101), spend('req_3', 50)])
    await spend('req_4', 50)
    expect(await told()).toEqual([low(449)])
    expect((await events())[0]).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      accountId: 'acc_1',
      state: 'waiting',
      tries: 0,
      createdAtMs: 9,
    })
  })

  test('is told again only after it was a tenth above', async () => {
    await setHook(500)
    await spend('req_1', 501)
    await kit.store.writer.enter(topUp(50)) // 549: not enough
    await spend('req_2', 100)
    expect(await told()).toEqual([low(499)])
    await kit.store.writer.enter(topUp(101)) // 550
    await spend('req_3', 51)
    expect(await told()).toEqual([low(499), low(499)])
  })

  test('is told when an adjustment or the end of a grant brings it there, and when the mark is set above it', async () => {
    await setHook(500)
    await kit.store.writer.enter({ ...topUp(-600), kind: 'adjustment' })
    await kit.store.writer.enter(topUp(100))
    const { seq: lot } = await kit.store.writer.enter({ ...topUp(200), kind: 'promo_grant', expiresAtMs: 90 })
    await kit.store.writer.endLot({ lot, accountId: 'acc_1', amountMax: money(200), actor: 'system', atMs: 95 })
    await setHook(2000)
    expect(await told()).toEqual(
      [low(400), low(500 - 1), expect.objectContaining({ low_balance_nano: 2000 })].filter((_, at) => at !== 1),
    )
  })

  test('is told by recovery too, and what waits is there after a restart', async () => {
    await setHook(500)
    await kit.store.writer.hold({
      ...holdOf('req_1', 900),
      covers: [{ ...holdOf('x').covers[0], promptUnits: 600 }] as never,
    })
    kit.store.writer.checkpoint('req_1', { offer: 'acme/small', deliveredUnits: 1 })
    await kit.reopen()
    expect(await told()).toEqual([low(398)])
    expect(await kit.store.reader.eventsDue(kit.clock.wallMs(), 9)).toMatchObject([
      { url: 'https://a.example/', sealed: 'c2VhbGVk', kind: 'balance.low' },
    ])
  })

  test('is told to nobody without a mark, or without a webhook', async () => {
    await spend('req_1', 900)
    await setHook(null)
    await spend('req_2', 50)
    expect(await told()).toEqual([])
  })
})

describe('a share of a budget', () => {
  const budget = (day: number | null, total: number | null = null) =>
    kit.store.writer.updateKey({
      id: 'key_1',
      version: null,
      change: {
        budgets: {
          total: total === null ? null : money(total),
          day: day === null ? null : money(day),
          week: null,
          month: null,
        },
      },
    })
  const reached = (name: string, percent: number) =>
    expect.objectContaining({ kind: 'budget.reached', budget: name, percent })

  test('is told at 80 and at 100 percent, once in each window', async () => {
    await setHook(null)
    await budget(100)
    await spend('req_1', 79)
    expect(await told()).toEqual([])
    await spend('req_2', 1)
    await spend('req_3', 1)
    expect(await told()).toEqual([reached('day', 80)])
    await spend('req_4', 19)
    await spend('req_5', 5)
    expect(await told()).toEqual([reached('day', 80), reached('day', 100)])
    await spend('req_6', 90, DAY_MS + 5)
    expect(await told()).toEqual([reached('day', 80), reached('day', 100), reached('day', 80)])
    expect((await events())[0]?.data).toMatchObject({
      key_id: 'key_1',
      key_name: 'first',
      spent_nano: 90,
      limit_nano: 100,
    })
  })

  test('is what was spent in its own window: a request that ends in the next one counts where it began, and nothing of that one does', async () => {
    await setHook(null)
    await budget(100)
    await spend('req_1', 50)
    await spend('req_2', 49, DAY_MS + 5)
    await spend('req_3', 10)
    expect(await told()).toEqual([])
    await Promise.all([spend('req_4', 25), spend('req_5', 1, DAY_MS + 5)]) // one batch
    expect(await told()).toEqual([reached('day', 80)])
    expect((await events())[0]?.data).toMatchObject({ spent_nano: 85 })
  })

  test('both at once are told as the higher; each budget by itself; one that is changed anew', async () => {
    await setHook(null)
    await budget(100, 100)
    await spend('req_1', 100)
    expect(await told()).toEqual([reached('total', 100), reached('day', 100)])
    await budget(125)
    await spend('req_2', 1)
    expect((await told()).at(-1)).toEqual(reached('day', 80))
  })

  test('of a key that has none, or an account that is told nothing, costs no event', async () => {
    expect(NO_LIMITS.policy).toEqual(DEFAULT_POLICY)
    await budget(100)
    await spend('req_1', 100)
    expect(await told()).toEqual([])
  })
})

describe('events', () => {
  test('wait, are tried, and rest; each account s oldest is due', async () => {
    await setHook(null)
    const first = await kit.store.writer.testWebhook('acc_1', 10)
    const second = await kit.store.writer.testWebhook('acc_1', 20)
    const due = async (nowMs: number) => (await kit.store.reader.eventsDue(nowMs, 9)).map(({ seq }) => seq)
    expect(await due(9)).toEqual([])
    expect(await due(25)).toEqual([first.seq])
    const end = { seq: first.seq, state: 'waiting', nextAtMs: 50, fault: 'answered with status 500' } as const
    expect(await kit.store.writer.eventTried(end)).toBe(1)
    expect(await due(25)).toEqual([second.seq])
    await kit.store.writer.eventTried({ seq: second.seq, state: 'delivered', nextAtMs: null, fault: null })
    expect(await due(49)).toEqual([])
    expect(await due(50)).toEqual([first.seq])
    await kit.store.writer.eventTried({ ...end, state: 'dead', nextAtMs: null })
    expect(await due(99)).toEqual([])
    expect(await events()).toMatchObject([
      { state: 'delivered', tries: 1 },
      { state: 'dead', tries: 2, fault: 'answered with status 500' },
    ])
    expect(await kit.store.writer.eventTried(end)).toBe(0)
  })

  test('that wait are dead when the webhook is removed; those that rest are forgotten by age', async () => {
    await setHook(null)
    await kit.store.writer.testWebhook('acc_1', 10)
    expect(await kit.store.writer.pruneEvents(99)).toBe(0)
    await kit.store.writer.removeWebhook('acc_1')
    expect(await events()).toMatchObject([{ state: 'dead', fault: 'the webhook was removed' }])
    expect(await kit.store.writer.pruneEvents(99)).toBe(1)
    expect(await codeOf(kit.store.writer.removeWebhook('acc_1'))).toBe('not_found')
    expect(await codeOf(kit.store.writer.testWebhook('acc_1', 1))).toBe('not_found')
    expect(await codeOf(setHook(null, null))).toBe('not_found')
  })

  test('a change keeps what signs; what signs is sealed anew only where it is as it was read', async () => {
    expect(await setHook(5)).toMatchObject({ hasNewSecret: true })
    expect(await setHook(6, null)).toMatchObject({ hasNewSecret: false, lowBalance: 6 })
    const row = { accountId: 'acc_1', from: 'b2xk', to: 'bmV3' }
    expect(await kit.store.writer.resealWebhooks([row, { ...row, from: 'c2VhbGVk' }])).toBe(1)
    expect(await kit.store.reader.webhook('acc_1')).toMatchObject({ sealed: 'bmV3', lowBalance: 6 })
    expect(await kit.store.reader.webhooks({ limit: 9, after: null })).toHaveLength(1)
  })
})
