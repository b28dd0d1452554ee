import { expect, test } from 'bun:test'
import { budgetsOrNull, money, NO_LIMITS, type OwnSecret, type Price } from '../../../../src/domain/index.ts'
import { admit } from '../../../../src/pipeline/admit.ts'
import { createCredit } from '../../../../src/pipeline/relay/credit.ts'
import { reserve } from '../../../../src/pipeline/reserve.ts'
import { ACCOUNT, createHouseDouble, type HouseSpec, MODEL } from '../../../support/house.ts'
import { callAt, preparedOf } from '../support.ts'

const TOKEN_NANO = 4000
/** The answer alone costs anything. */
const PRICE: Price = { input: 0, output: TOKEN_NANO * 1_000_000 }
/** A step is 100 tokens; so is what a stream without a limit holds at first. A token is 3 bytes. */
const STEPS = { money: { outputReserveTokens: 100, outputCapTokens: 300 } }

async function crediting(spec: HouseSpec = {}, fields: object = {}, own?: OwnSecret) {
  const offer = { price: PRICE, outputTokensMax: null }
  const world = createHouseDouble({ ...STEPS, backends: { north: offer }, ...spec })
  const { call } = callAt(world)
  const named = { id: 'key_test', accountId: ACCOUNT, name: 'k', prefix: 'sk', revoked: false, version: 1 }
  const context = await admit(world.house, { key: { ...named, ...NO_LIMITS, ...spec.terms } })
  const plan = { model: MODEL, candidates: world.offers().map((offer) => ({ offer, ...(own && { own }) })), skips: [] }
  const prepared = preparedOf({ stream: true, ...fields })
  const { open, candidates } = reserve(world.house, call, context, plan, prepared)
  const [candidate] = candidates
  if (candidate === undefined) throw new Error('no candidate')
  const credit = createCredit(world.house, call, { candidate, prepared, open, context })
  const tokensHeld = (): number => world.funds().held / TOKEN_NANO
  /** No answer of so many tokens for each choice has so much text, its prompt and all. */
  const { choices, promptTextBytes } = prepared.facts
  const bytesMax = (tokens: number): number => choices * (tokens * 16 + promptTextBytes) + 1024
  return { world, credit, tokensHeld, bytesMax }
}

const usd = (tokens: number): string => (money(tokens * TOKEN_NANO) / 1e9).toFixed(9)

test('more is set aside when four fifths of what is held are used, a step at a time', async () => {
  const { credit, tokensHeld } = await crediting()
  expect([tokensHeld(), credit.untilBytes]).toEqual([100, 240])
  expect(credit.extend(240)).toBe(true)
  expect([tokensHeld(), credit.untilBytes]).toEqual([200, 480])
  expect(credit.extend(1500)).toBe(true) // many events in one read
  expect([tokensHeld(), credit.untilBytes]).toEqual([700, 1680])
})

test('what is left is taken when it is less than a step; when nothing is, the stream must end', async () => {
  const { credit, tokensHeld, world } = await crediting({ balanceUsd: usd(130) })
  expect(credit.extend(240)).toBe(true)
  expect([tokensHeld(), credit.untilBytes]).toEqual([130, 312])
  expect(credit.extend(312)).toBe(false)
  expect(world.funds().available).toBe(money(0))
})

test('a limit that the first step covers needs no more; one beyond it needs as much as it lacks', async () => {
  const short = await crediting({}, { max_tokens: 300 })
  expect([short.tokensHeld(), short.credit.untilBytes]).toEqual([300, short.bytesMax(300)])
  const long = await crediting({}, { max_tokens: 350 })
  expect(long.tokensHeld()).toBe(300)
  expect(long.credit.extend(long.credit.untilBytes)).toBe(true)
  expect(long.credit.untilBytes).toBe(720) // nothing taken yet: what is held is more than the least that every first step holds
  expect(long.credit.extend(720)).toBe(true)
  expect([long.tokensHeld(), long.credit.untilBytes]).toEqual([350, long.bytesMax(350)])
})

test('of a provider that keeps to no limit more is set aside as the answer grows, as if there were none', async () => {
  const { credit, tokensHeld, bytesMax } = await crediting({ balanceUsd: usd(2000) }, { max_tokens: 10, n: 2 })
  expect([tokensHeld(), credit.untilBytes]).toEqual([20, bytesMax(10)])
  expect(credit.extend(1440)).toBe(true) // 480 tokens
  expect([tokensHeld(), credit.untilBytes]).toEqual([620, 1488])
  expect(credit.extend(5000)).toBe(false)
  expect(tokensHeld()).toBe(2000)
})

test("nor is more than the offer's maximum", async () => {
  const { credit, tokensHeld, bytesMax } = await crediting({
    backends: { north: { price: PRICE, outputTokensMax: 130 } },
  })
  expect(credit.extend(240)).toBe(true)
  expect([tokensHeld(), credit.untilBytes]).toEqual([130, bytesMax(130)])
})

test('every choice counts', async () => {
  const { credit, tokensHeld } = await crediting({}, { n: 2 })
  expect([tokensHeld(), credit.untilBytes]).toEqual([200, 480])
  credit.extend(480)
  expect([tokensHeld(), credit.untilBytes]).toEqual([400, 960])
})

test('a hold made for a dearer candidate goes further', async () => {
  const dear = { price: { input: 0, output: 3 * PRICE.output }, outputTokensMax: null }
  const { credit } = await crediting({ backends: { north: { price: PRICE, outputTokensMax: null }, south: dear } })
  expect(credit.extend(240)).toBe(true)
  expect(credit.untilBytes).toBe(720)
})

test('of an own credential the fee is set aside', async () => {
  const secret = { id: 'cred_1', accountId: ACCOUNT, provider: 'acme', baseUrl: null, sealed: 's', secret: 'x' }
  const money = { ...STEPS.money, byokFeeBps: 1000 }
  const { credit, tokensHeld } = await crediting({ money }, {}, { ...secret, fault: null })
  expect([tokensHeld(), credit.untilBytes]).toEqual([10, 240])
  expect(credit.extend(240)).toBe(true)
  expect([tokensHeld(), credit.untilBytes]).toEqual([20, 480])
})

test('an unmetered account without a budget is bound by nothing; with one by that', async () => {
  const free = await crediting({ balanceUsd: null })
  expect(free.credit.extend(1_000_000)).toBe(true)
  const day = money(150 * TOKEN_NANO)
  const budgets = budgetsOrNull({ total: null, day, week: null, month: null })
  const { credit, tokensHeld } = await crediting({ balanceUsd: null, terms: { budgets } })
  expect(credit.extend(240)).toBe(true)
  expect(tokensHeld()).toBe(150)
  expect(credit.extend(360)).toBe(false)
})

test('an answer that costs nothing needs no step', async () => {
  const { credit } = await crediting({ backends: { north: { price: { input: 5, output: 0 } } } })
  expect(credit.extend(credit.untilBytes)).toBe(true)
  expect(credit.untilBytes).toBe(Number.POSITIVE_INFINITY)
})
