import fc from 'fast-check'
import { buildCatalogue } from '../../src/catalogue/index.ts'
import {
  type Backend,
  type Capability,
  GatewayError,
  type Offer,
  type RoutePlan,
  SORTS,
} from '../../src/domain/index.ts'
import type { ObservedOffer } from '../../src/health/index.ts'
import { route } from '../../src/pipeline/route/route.ts'
import type { Wish, World } from '../../src/pipeline/route/rule.ts'
import { backendOf, modelOf, partsOf } from '../unit/catalogue/support.ts'
import { NOW_MS, ownSecret, worldOf } from '../unit/pipeline/route/route-kit.ts'

const PROVIDERS = ['acme', 'beta', 'Gamma Labs']
const NONE: string[] = []
export const MODELS = ['m0', 'm1', 'm2']

const rate = fc.constantFrom(0, 1_000, 2_000, 50_000)
/** Mostly the plain value: what drops everything proves little. */
const rarely = <T, None>(value: fc.Arbitrary<T>, none: None): fc.Arbitrary<T | None> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: value })
const optional = <T>(value: fc.Arbitrary<T>) => rarely(value, undefined)
const offers = fc.record({
  enabled: rarely(fc.constant(false), true),
  price: fc.option(fc.record({ input: rate, output: rate }), { freq: 9 }),
  contextTokensMax: rarely(fc.constantFrom(10, 100, 1000), null),
  capabilities: optional(fc.subarray<Capability>(['tools', 'images'])),
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
/** Random backends, offers of three models, and who asks. */
export const worlds = fc.record({
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
/** Random requests. */
export const wishes = fc.record({
  model: fc.constantFrom('m0', 'm0', 'm1', 'm1:free', 'gone'),
  preferences: fc.option(preferences, { nil: undefined }),
  needs: optional(fc.subarray(['tools' as const, 'images' as const], { minLength: 1 })),
  promptTextBytes: fc.constantFrom(0, 0, 300, 3000),
  pin: optional(fc.constantFrom('acme', 'b2')),
  seed: fc.string(),
})

export type WorldSpec = typeof worlds extends fc.Arbitrary<infer Spec> ? Spec : never
export type WishSpec = typeof wishes extends fc.Arbitrary<infer Spec> ? Spec : never

/** The world of a spec. */
export function worldFrom({ backends, offers: rows, kind, out, ownProviders, sort }: WorldSpec): World {
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

/** The wish of a spec. */
export function wishFrom({ model, pin, seed, preferences: asked, needs, promptTextBytes }: WishSpec): Wish {
  const request = { choices: 1, outputLimit: null, promptMediaUnits: 0, promptTextBytes, needs, preferences: asked }
  return { model, seed, pin, request }
}

/** The plan; null when no model is known. */
export function planOf(world: World, wish: Wish): RoutePlan | null {
  try {
    return route(world, wish)
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'model_not_found') return null
    throw error
  }
}
