import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildCatalogue } from '../../src/catalogue/index.ts'
import {
  type Backend,
  type Candidate,
  GatewayError,
  isNamed,
  NO_PREFERENCES,
  type Offer,
  type Preferences,
  type RoutePlan,
  SORTS,
} from '../../src/domain/index.ts'
import type { ObservedOffer } from '../../src/health/index.ts'
import { refuseEmptyPlan } from '../../src/pipeline/route/refuse-empty-plan.ts'
import { route } from '../../src/pipeline/route/route.ts'
import type { Wish, World } from '../../src/pipeline/route/rule.ts'
import { backendOf, modelOf, partsOf } from '../unit/catalogue/support.ts'
import { NOW_MS, ownSecret, worldOf } from '../unit/pipeline/route/route-kit.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const PROVIDERS = ['acme', 'beta', 'Gamma Labs']
const NONE: string[] = []
const MODELS = ['m0', 'm1', 'm2']

const rate = fc.constantFrom(0, 1_000, 2_000, 50_000)
/** Mostly the plain value: what drops everything proves little. */
const rarely = <T, None>(value: fc.Arbitrary<T>, none: None): fc.Arbitrary<T | None> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: value })
const optional = <T>(value: fc.Arbitrary<T>) => rarely(value, undefined)
const offers = fc.record({
  enabled: rarely(fc.constant(false), true),
  price: fc.option(fc.record({ input: rate, output: rate }), { freq: 9 }),
  contextTokensMax: rarely(fc.constantFrom(10, 100, 1000), null),
  capabilities: optional(fc.subarray(['tools', 'images'])),
  parameters: fc.option(fc.subarray(['seed', 'top_k']), { nil: undefined }),
  quantization: fc.option(fc.constantFrom('fp8', 'bf16'), { nil: undefined }),
  weight: optional(fc.constantFrom(0, 1, 5)),
  seen: fc.option(
    fc.record({
      firstContentP50Ms: fc.option(fc.nat(900)),
      successRate: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
  ),
})
const worlds = fc.record({
  backends: fc.array(
    fc.record({ provider: fc.constantFrom(...PROVIDERS), region: fc.constantFrom(null, 'eu', 'us') }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  offers: fc.array(fc.array(fc.option(offers, { freq: 3 }), { minLength: 5, maxLength: 5 }), {
    minLength: 3,
    maxLength: 3,
  }),
  kind: fc.constantFrom('prepaid' as const, 'unmetered' as const),
  out: rarely(fc.subarray(['b0', 'b1', 'b2', 'b3', 'b4']), NONE),
  ownProviders: fc.subarray(PROVIDERS),
  sort: fc.option(fc.constantFrom(...SORTS)),
})
const slugs = fc.subarray(['acme', 'beta', 'gamma-labs', 'b1', 'acme/eu', 'beta/fp8', 'nobody'])
const bound = fc.option(fc.constantFrom(0, 1_000, 2_000))
const preferences = fc.record({
  models: fc.subarray(['m1', 'm2:floor', 'm0:nitro', 'gone']),
  order: slugs,
  only: rarely(
    slugs.filter((list) => list.length > 0),
    null,
  ),
  ignore: rarely(slugs, NONE),
  allowFallbacks: rarely(fc.constant(false), true),
  parameters: rarely(fc.subarray(['seed', 'top_k']), null),
  denyDataCollection: fc.constant(false),
  zeroRetention: fc.constant(false),
  quantizations: rarely(fc.subarray(['fp8', 'bf16', 'unknown'], { minLength: 1 }), null),
  sort: fc.option(fc.record({ by: fc.constantFrom(...SORTS), acrossModels: fc.boolean() })),
  maxPrice: rarely(
    fc.record({
      prompt: bound,
      completion: bound,
      request: fc.constant(null),
      image: fc.constant(null),
      audio: fc.constant(null),
    }),
    null,
  ),
  maxLatencyMs: fc.constant(null),
  minThroughput: fc.constant(null),
})
const wishes = fc.record({
  model: fc.constantFrom('m0', 'm0', 'm1', 'm1:free', 'gone'),
  preferences: fc.option(preferences, { nil: undefined }),
  needs: optional(fc.subarray(['tools' as const, 'images' as const], { minLength: 1 })),
  promptTextBytes: fc.constantFrom(0, 0, 300, 3000),
  pin: optional(fc.constantFrom('acme', 'b2')),
  seed: fc.string(),
})

type WorldSpec = typeof worlds extends fc.Arbitrary<infer Spec> ? Spec : never
type WishSpec = typeof wishes extends fc.Arbitrary<infer Spec> ? Spec : never

function worldFrom({ backends, offers: rows, kind, out, ownProviders, sort }: WorldSpec): World {
  const made = backends.map(({ provider, region }, at): Backend => {
    const backend = backendOf(`b${at}`)
    return { ...backend, region, provider: { ...backend.provider, id: provider } }
  })
  const seen = new Map<string, ObservedOffer>()
  const models = MODELS.map((id, row) => {
    const listed = made.flatMap((backend, at): Offer[] => {
      const spec = rows[row]?.[at] ?? null
      const [offer] = modelOf(id, [[backend]]).offers
      if (spec === null || offer === undefined) return []
      const { seen: observed, ...fields } = spec
      if (observed !== null) seen.set(offer.id, { ...NOTHING, ...observed })
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
      return [{ ...offer, ...given }]
    })
    return { ...modelOf(id, []), offers: listed }
  })
  const own = ownProviders.map((provider, at) => ownSecret(`cred_${at}`, provider))
  return {
    ...worldOf({ kind, own, out: Object.fromEntries(out.map((id) => [id, NOW_MS + 1000])) }),
    catalogue: buildCatalogue(partsOf(made, models), { version: 1, createdAtS: 0 }),
    observed: { version: 1, of: (offer) => seen.get(offer) ?? null },
    sort,
  }
}

const NOTHING: ObservedOffer = {
  firstContentP50Ms: null,
  firstContentP95Ms: null,
  tokensPerSecond: null,
  successRate: null,
  samples: 0,
  firstContentMs: null,
  throughput: null,
  uptime: { last5m: null, last30m: null, last1d: null },
}

function wishFrom({ model, pin, seed, preferences: asked, needs, promptTextBytes }: WishSpec): Wish {
  const request = { choices: 1, outputLimit: null, promptMediaUnits: 0, promptTextBytes, needs, preferences: asked }
  return { model, seed, pin, request }
}

/** The plan; null when no model is known. */
function planOf(world: World, wish: Wish): RoutePlan | null {
  try {
    return route(world, wish)
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_not_found') return null
    throw error
  }
}

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
