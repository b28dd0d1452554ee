import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Candidate,
  GatewayError,
  isNamed,
  NO_PREFERENCES,
  type Preferences,
  type RoutePlan,
} from '../../src/domain/index.ts'
import { refuseEmptyPlan } from '../../src/pipeline/route/refuse-empty-plan.ts'
import type { Wish, World } from '../../src/pipeline/route/rule.ts'
import { NOW_MS } from '../unit/pipeline/route/route-kit.ts'
import { planOf, wishes, wishFrom, worldFrom, worlds } from './route-worlds.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const property = (check: (world: World, wish: Wish, plan: RoutePlan) => void): void =>
  fc.assert(
    fc.property(worlds, wishes, (worldSpec, wishSpec) => {
      const world = worldFrom(worldSpec)
      const wish = wishFrom(wishSpec)
      const plan = planOf(world, wish)
      if (plan !== null) check(world, wish, plan)
    }),
    runs,
  )

const asksOf = ({ request }: Wish): Preferences => request?.preferences ?? NO_PREFERENCES
const nameOf = ({ offer, own }: Candidate): string => `${offer.id} ${own?.id ?? ''}`

test('the same world and wish give the same plan, and both stay as they are', () => {
  fc.assert(
    fc.property(worlds, wishes, (worldSpec, wishSpec) => {
      const [world, wish] = [worldFrom(worldSpec), wishFrom(wishSpec)]
      const before = JSON.stringify([world.catalogue.models.get('m0'), wish])
      const [one, other] = [planOf(world, wish), planOf(world, wish)]
      expect(one).toEqual(other)
      expect(planOf(worldFrom(worldSpec), wishFrom(wishSpec))).toEqual(one)
      expect(JSON.stringify([world.catalogue.models.get('m0'), wish])).toBe(before)
    }),
    runs,
  )
})

test('every offer of the models that are asked for is a candidate or is passed over, once', () => {
  property((world, wish, plan) => {
    const models = new Set(
      ['m0', 'm1', 'm2'].filter((id) => [wish.model, ...asksOf(wish).models].some((name) => name.split(':')[0] === id)),
    )
    const own = world.context.own
    const all = [...models].flatMap((id) =>
      (world.catalogue.models.get(id)?.offers ?? []).flatMap((offer) => [
        ...own
          .filter(({ provider }) => provider === offer.backend.provider.id)
          .map(({ id: credential }) => `${offer.id} ${credential}`),
        `${offer.id} `,
      ]),
    )
    const skipped = plan.skips
      .filter(({ rule }) => rule !== 'known-model')
      .map(({ offer, credential = '' }) => `${offer} ${credential}`)
    expect([...plan.candidates.map(nameOf), ...skipped].toSorted()).toEqual(all.toSorted())
  })
})

test('no candidate is against a wish', () => {
  property((_, wish, { candidates }) => {
    const { only, ignore, order, allowFallbacks, quantizations, parameters, maxPrice } = asksOf(wish)
    for (const { offer, own } of candidates) {
      const among = (list: readonly string[]) => list.some((slug) => isNamed(offer, slug))
      if (only !== null) expect(among(only)).toBe(true)
      expect(among(ignore)).toBe(false)
      if (!allowFallbacks && order.length > 0) expect(among(order)).toBe(true)
      if (wish.pin !== undefined) expect(isNamed(offer, wish.pin)).toBe(true)
      if (quantizations !== null) expect(quantizations).toContain(offer.quantization ?? 'unknown')
      for (const need of wish.request?.needs ?? []) expect(offer.capabilities?.includes(need)).not.toBe(false)
      if (offer.parameters !== undefined)
        expect(offer.parameters).toEqual(expect.arrayContaining([...(parameters ?? [])]))
      const isCharged = own === undefined // of an own credential the operator takes nothing here
      if (isCharged && maxPrice?.prompt != null) expect(offer.price?.input).toBeLessThanOrEqual(maxPrice.prompt)
      if (isCharged && maxPrice?.completion != null)
        expect(offer.price?.output).toBeLessThanOrEqual(maxPrice.completion)
    }
  })
})

test('the order of the caller holds within each model, among what is paid alike', () => {
  property((_, wish, { candidates }) => {
    const { order, sort } = asksOf(wish)
    const rank = ({ offer }: Candidate) => [...order, null].findIndex((slug) => slug === null || isNamed(offer, slug))
    for (const [at, candidate] of candidates.entries()) {
      const next = candidates[at + 1]
      if (next === undefined) break
      const isSameList = sort?.acrossModels === true || candidate.offer.model === next.offer.model
      if (isSameList && (candidate.own === undefined) === (next.own === undefined))
        expect(rank(candidate)).toBeLessThanOrEqual(rank(next))
    }
  })
})

test('an empty plan is refused: by itself passing with 503, by a wish with a 4xx that lists every skip', () => {
  property((_, wish, plan) => {
    if (plan.candidates.length > 0) return
    let refusal: unknown
    try {
      refuseEmptyPlan(plan, NOW_MS)
    } catch (error) {
      refusal = error
    }
    const isPassing = plan.skips.some(({ rule }) => rule === 'quarantined')
    const isWished = plan.skips.some(({ rule }) => !['enabled', 'priced', 'quarantined', 'known-model'].includes(rule))
    if (isPassing) expect(refusal).toMatchObject({ status: 503, details: { retryAfterMs: expect.any(Number) } })
    else if (isWished)
      expect(refusal).toMatchObject({ retryable: false, details: { extra: { skips: { length: plan.skips.length } } } })
    expect(refusal).toBeInstanceOf(GatewayError)
    if (isWished && !isPassing) expect([400, 404]).toContain(refusal instanceof GatewayError ? refusal.status : 0)
    expect(wish.model).not.toBe('')
  })
})
