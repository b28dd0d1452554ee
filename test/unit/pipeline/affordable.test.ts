import { describe, expect, test } from 'bun:test'
import { money, type Price } from '../../../src/domain/index.ts'
import { affordable } from '../../../src/pipeline/affordable.ts'
import { createHouseDouble, MODEL } from '../../support/house.ts'
import { ownSecret } from './route/route-kit.ts'
import { preparedOf } from './support.ts'

/** A dollar, and a tenth of a cent, for an answer of 1,000 tokens. */
const DEAR: Price = { input: 0, output: 1_000_000_000_000 }
const CHEAP: Price = { input: 0, output: 1_000_000_000 }

test('who needs more than there is is passed over, with what is needed; nothing is held', async () => {
  await using world = createHouseDouble({ backends: { dear: { price: DEAR }, cheap: { price: CHEAP } } })
  const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer })), skips: [] }
  const { facts } = preparedOf({ max_tokens: 1000 })
  const walk = (available: number | null, of = plan) =>
    affordable(world.house, world.house.settings(), of, facts, {
      available: available === null ? null : money(available),
      budget: null,
    })
  const some = walk(500_000_000)
  expect(some.candidates.map(({ offer }) => offer.backend.id)).toEqual(['cheap'])
  expect(some).toMatchObject({
    amount: 1_000_000,
    cheapestNeeded: 1_000_000_000,
    skips: [{ backend: 'dear', rule: 'unaffordable', reason: 'needs $1.00, available $0.50' }],
  })
  expect(walk(null)).toMatchObject({ amount: 1_000_000_000, skips: [], cheapestNeeded: null })
  expect(walk(10)).toMatchObject({ candidates: [], amount: 0, cheapestNeeded: 1_000_000 })
  const reversed = { ...plan, candidates: plan.candidates.toReversed() }
  expect(walk(10, reversed)).toMatchObject({ cheapestNeeded: 1_000_000 })
})

test('what the request fixes beside its tokens is in the step, and owed by its settlement; of what is free nothing', async () => {
  const price: Price = { input: 0, output: 0, perImage: 7 }
  await using world = createHouseDouble({ backends: { north: { price, cost: price } } })
  const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer })), skips: [] }
  const facts = { ...preparedOf().facts, asked: { images: 2 } }
  const walk = (of: typeof facts) =>
    affordable(world.house, world.house.settings(), plan, of, { available: money(20), budget: null })
  const { candidates, amount } = walk(facts)
  expect<number>(amount).toBe(14)
  const covered = { offer: 'north/acme/m', backend: 'north', promptUnits: expect.any(Number), asked: { images: 2 } }
  expect(candidates.map((candidate) => candidate.covered)).toEqual([{ ...covered, price, cost: price }])
  const free = walk({ ...facts, isFree: true })
  expect<number>(free.amount).toBe(0)
  const none = { input: 0, output: 0 }
  expect(free.candidates.map((candidate) => candidate.covered)).toEqual([{ ...covered, price: none, cost: none }])
})

describe('an own credential', () => {
  const price: Price = { input: 0, output: 1_000_000 }
  const NONE = { input: 0, output: 0 }
  async function coveredWith(byokFeeBps: number, of: Price | null = price) {
    await using world = createHouseDouble({ backends: { north: { price: of, cost: price } }, money: { byokFeeBps } })
    const candidates = world.offers().map((offer) => ({ offer, own: ownSecret('cred_1') }))
    const plan = { model: MODEL, candidates, skips: [] }
    const means = { available: money(1), budget: null }
    const { facts } = preparedOf({ max_tokens: 1000 })
    const walked = affordable(world.house, world.house.settings(), plan, facts, means)
    const { skips, amount, cheapestNeeded } = walked
    return { covered: walked.candidates.map((one) => one.covered), skips: skips.length, amount, cheapestNeeded }
  }
  const at = { offer: 'north/acme/m', backend: 'north', promptUnits: expect.any(Number), credential: 'cred_1' }

  test('costs the account nothing here, nor the operator', async () => {
    const covered = [{ ...at, price: NONE, cost: NONE }]
    expect(await coveredWith(0)).toEqual<unknown>({ covered, skips: 0, amount: 0, cheapestNeeded: null })
    expect(await coveredWith(500, null)).toEqual<unknown>({ covered, skips: 0, amount: 0, cheapestNeeded: null })
  })

  test('with a fee of the operator costs that share of the price', async () => {
    const covered = [{ ...at, price, cost: NONE, feeBps: 10 }]
    expect(await coveredWith(10)).toEqual<unknown>({ covered, skips: 0, amount: 1, cheapestNeeded: null })
    expect(await coveredWith(500)).toEqual<unknown>({ covered: [], skips: 1, amount: 0, cheapestNeeded: 50 })
  })
})
