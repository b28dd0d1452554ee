import { describe, expect, test } from 'bun:test'
import { money, NO_LIMITS, type Price } from '../../../src/domain/index.ts'
import { admit, admitRequest } from '../../../src/pipeline/admit.ts'
import type { Reservation } from '../../../src/pipeline/handover.ts'
import { reserve } from '../../../src/pipeline/reserve.ts'
import { ACCOUNT, createHouseDouble, type HouseSpec, MODEL } from '../../support/house.ts'
import { callAt, preparedOf } from './support.ts'

/** Half a dollar for the whole answer of 1,000 tokens. */
const DEAR: Price = { input: 0, output: 500_000_000_000 }
const CHEAP: Price = { input: 0, output: 1_000_000_000 }

async function reserving(spec: HouseSpec, fields: object = {}) {
  const world = createHouseDouble(spec)
  const { call } = callAt(world)
  const named = { id: 'key_test', accountId: ACCOUNT, name: 'k', prefix: 'sk', revoked: false, version: 1 }
  const context = await admit(world.house, { key: { ...named, ...NO_LIMITS, ...spec.terms } })
  admitRequest(world.house, call, context.key)
  const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer })), skips: [] }
  const attempt = (): Reservation => reserve(world.house, call, context, plan, preparedOf(fields))
  return { world, call, context, attempt }
}

const names = ({ candidates }: Reservation): string[] => candidates.map(({ offer }) => offer.backend.id)

describe('reserve', () => {
  test('holds what the dearest candidate that stays may cost, in this tick', async () => {
    const { world, attempt } = await reserving(
      { backends: { north: { price: CHEAP }, south: { price: DEAR } } },
      { max_tokens: 1000 },
    )
    const reservation = attempt()
    expect(names(reservation)).toEqual(['north', 'south'])
    expect(world.funds()).toMatchObject({ held: 500_000_000, available: 500_000_000 })
    expect(reservation.open.hold).toMatchObject({ amount: 500_000_000, keyId: 'key_test' })
    expect(reservation.open.hold.covers.map(({ offer, price }) => [offer, price])).toEqual([
      ['north/acme/m', CHEAP],
      ['south/acme/m', DEAR],
    ])
    await reservation.open.durable
    expect(world.store.tables.holds.size).toBe(1)
  })

  test('sets nothing aside for an own credential, which needs no balance either', async () => {
    const own = {
      id: 'cred_1',
      accountId: ACCOUNT,
      provider: 'acme',
      baseUrl: null,
      sealed: 's',
      secret: 'x',
      fault: null,
    }
    const { world, call, context } = await reserving({ balanceUsd: '0', backends: { north: { price: DEAR } } })
    const candidates = world.offers().flatMap((offer) => [{ offer, own }, { offer }])
    const plan = { model: MODEL, candidates, skips: [] }
    const { open, skips } = reserve(world.house, call, context, plan, preparedOf({ max_tokens: 1000 }))
    const free = { input: 0, output: 0 }
    expect(open.hold.amount).toBe(money(0))
    expect(open.hold.covers).toMatchObject([{ credential: 'cred_1', price: free, cost: free }])
    expect(skips).toMatchObject([{ rule: 'unaffordable' }])
  })

  test('sets the fee aside for an own credential, at the price of the offer; one that cannot be paid is skipped', async () => {
    const own = {
      id: 'cred_1',
      accountId: ACCOUNT,
      provider: 'acme',
      sealed: 's',
      secret: 'x',
      baseUrl: null,
      fault: null,
    }
    const money500 = { byokFeeBps: 500 }
    const { world, call, context } = await reserving({
      balanceUsd: '0.03',
      money: money500,
      backends: { north: { price: DEAR } },
    })
    const candidates = world.offers().flatMap((offer) => [{ offer, own }, { offer }])
    const plan = { model: MODEL, candidates, skips: [] }
    const { open, skips } = reserve(world.house, call, context, plan, preparedOf({ max_tokens: 1000 }))
    expect(open.hold.amount).toBe(money(25_000_000))
    const cost = { input: 0, output: 0 }
    expect(open.hold.covers).toEqual([
      {
        offer: 'north/acme/m',
        backend: 'north',
        promptUnits: expect.any(Number),
        price: DEAR,
        cost,
        credential: 'cred_1',
        feeBps: 500,
      },
    ])
    expect(skips).toMatchObject([{ rule: 'unaffordable' }])
    expect(() => reserve(world.house, callAt(world).call, context, plan, preparedOf({ max_tokens: 1000 }))).toThrow(
      'Insufficient credits',
    )
  })

  test('skips what the account cannot pay, with both amounts', async () => {
    const { world, attempt } = await reserving(
      { balanceUsd: '0.10', backends: { north: { price: DEAR }, south: { price: CHEAP } } },
      { max_tokens: 1000 },
    )
    const reservation = attempt()
    expect(names(reservation)).toEqual(['south'])
    expect(reservation.skips).toEqual([
      { offer: 'north/acme/m', backend: 'north', rule: 'unaffordable', reason: 'needs $0.50, available $0.10' },
    ])
    expect(world.funds().held).toBe(money(1_000_000))
  })

  test('402 when none stays, with the least that is needed and what is there; nothing is held', async () => {
    const { world, attempt } = await reserving(
      { balanceUsd: '0.0005', backends: { north: { price: DEAR }, south: { price: CHEAP } } },
      { max_tokens: 1000 },
    )
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'insufficient_credits',
        status: 402,
        message: 'Insufficient credits for this request. It may cost up to $0.001; $0.0005 is available.',
      }),
    )
    expect(world.funds().held).toBe(money(0))
  })

  test('a plain request without a limit gets the one it can pay, for each candidate its own', async () => {
    const { attempt } = await reserving({
      balanceUsd: '0.10',
      backends: { north: { price: DEAR }, south: { price: CHEAP } },
    })
    const { candidates, open } = attempt()
    expect(candidates.map(({ outputLimit }) => outputLimit)).toEqual([200, null])
    expect(open.hold.amount).toBe(money(100_000_000))
  })

  test('what is held by one request is not there for the next', async () => {
    const { world, attempt } = await reserving({ backends: { north: { price: DEAR } } }, { max_tokens: 1000 })
    const prepared = preparedOf({ max_tokens: 1000 })
    attempt()
    const { call } = callAt(world)
    const key = {
      id: 'key_test',
      accountId: ACCOUNT,
      name: 'k',
      prefix: 'sk',
      ...NO_LIMITS,
      revoked: false,
      version: 1,
    }
    const context = await admit(world.house, { key })
    const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer })), skips: [] }
    reserve(world.house, call, context, plan, prepared) // the second half dollar
    expect(() => reserve(world.house, callAt(world).call, context, plan, prepared)).toThrow(
      expect.objectContaining({ code: 'insufficient_credits' }),
    )
    expect(world.funds().available).toBe(money(0))
  })

  test('an unmetered account needs no balance, and may use an offer without a price', async () => {
    const { world, attempt } = await reserving({ balanceUsd: null, backends: { north: { price: null } } })
    const { candidates, open } = attempt()
    expect(candidates[0]?.covered).toMatchObject({ price: { input: 0, output: 0 }, promptUnits: expect.any(Number) })
    expect(open.hold.amount).toBe(money(0))
    expect(world.funds().available).toBe(money(0))
  })

  test('503 while the writer does not accept: nothing is held', async () => {
    const { world, attempt } = await reserving({})
    world.store.disk.fail()
    await world.house.accounts.createAccount({ name: 'x', kind: 'prepaid' }).catch(() => {})
    expect(attempt).toThrow(expect.objectContaining({ code: 'storage_unavailable', status: 503 }))
    expect(world.funds().held).toBe(money(0))
  })
})

describe('the budgets of a key', () => {
  const budgets = { total: null, day: money(100_000_000), week: null, month: null }

  test('bind where they leave less than the account has: candidates are skipped, then 402 with the end of the window', async () => {
    const spec = { terms: { budgets }, backends: { north: { price: DEAR }, south: { price: CHEAP } } }
    const { attempt } = await reserving(spec, { max_tokens: 1000 })
    const first = attempt()
    expect(names(first)).toEqual(['south'])
    expect(first.skips[0]?.reason).toBe("needs $0.50, the key's day budget leaves $0.10")
    const dear = await reserving({ terms: { budgets }, backends: { north: { price: DEAR } } }, { max_tokens: 1000 })
    expect(dear.attempt).toThrow(
      expect.objectContaining({
        code: 'key_budget_exceeded',
        status: 402,
        details: {
          headers: { 'x-should-retry': 'false' },
          extra: { budget: 'day', resets_at: '2027-01-16T00:00:00.000Z' },
        },
      }),
    )
    expect(dear.world.funds().held).toBe(money(0))
  })

  test('bind an unmetered account, whose plain request gets the limit that the budget can pay', async () => {
    const spec = { balanceUsd: null, terms: { budgets }, backends: { north: { price: DEAR } } }
    const { attempt } = await reserving(spec)
    const { candidates, open } = attempt()
    expect(candidates[0]?.outputLimit).toBe(200)
    expect(open.hold.amount).toBe(money(100_000_000))
  })

  test('where the account has less, it is the account that is said to lack', async () => {
    const spec = { balanceUsd: '0.05', terms: { budgets }, backends: { north: { price: DEAR } } }
    const { attempt } = await reserving(spec, { max_tokens: 1000 })
    expect(attempt).toThrow(expect.objectContaining({ code: 'insufficient_credits' }))
  })

  test('do not stand in the way of what costs nothing', async () => {
    const none = { ...budgets, day: money(0) }
    const { attempt } = await reserving({
      balanceUsd: null,
      terms: { budgets: none },
      backends: { north: { price: null } },
    })
    expect(attempt().open.hold.amount).toBe(money(0))
  })
})

describe("a key's tokens per minute", () => {
  const limits = { requestsPerMinute: null, tokensPerMinute: 1500, concurrency: null }

  test('count the prompt and the limit that is named, for each choice', async () => {
    const { call, attempt } = await reserving({ terms: { limits } }, { max_tokens: 100, n: 2 })
    const [covered] = attempt().open.hold.covers
    expect(call.admission?.rates().tokens).toMatchObject({ remaining: 1500 - (covered?.promptUnits ?? 0) - 200 })
  })

  test('no limit named: what is reserved, as far as the offer and the limit go', async () => {
    const { call, attempt } = await reserving({ terms: { limits } })
    const [covered] = attempt().open.hold.covers
    expect(call.admission?.rates().tokens).toMatchObject({ remaining: 1500 - (covered?.promptUnits ?? 0) - 1000 })
    const narrow = await reserving({ terms: { limits: { ...limits, tokensPerMinute: 500 } } })
    narrow.attempt()
    expect(narrow.call.admission?.rates().tokens).toMatchObject({ remaining: 0 })
  })

  test('429 before money is held', async () => {
    const { world, attempt } = await reserving(
      { terms: { limits: { ...limits, tokensPerMinute: 50 } } },
      { max_tokens: 100 },
    )
    expect(attempt).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded', retryable: false }))
    expect(world.funds().held).toBe(money(0))
  })
})
