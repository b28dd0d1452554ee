import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildCatalogue } from '../../src/catalogue/index.ts'
import {
  type Candidate,
  type Capability,
  isFree,
  type Model,
  NO_PREFERENCES,
  type Offer,
  type Price,
  type RoutePlan,
  type RouterTerms,
  type Skip,
} from '../../src/domain/index.ts'
import { ordered } from '../../src/pipeline/route/ordered.ts'
import { passed } from '../../src/pipeline/route/passed.ts'
import { route } from '../../src/pipeline/route/route.ts'
import { routerOrder } from '../../src/pipeline/route/router-order.ts'
import type { Wish, World } from '../../src/pipeline/route/rule.ts'
import { backendOf, modelOf, partsOf } from '../unit/catalogue/support.ts'
import { NOW_MS, worldOf } from '../unit/pipeline/route/route-kit.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const runs = { numRuns: RUNS > 1000 ? RUNS * 2 : RUNS } // 10,000 in the long lane
const BACKENDS = ['b0', 'b1', 'b2', 'b3']
const MODELS = Array.from({ length: 24 }, (_, at) => `m${at}`)
const AT_ONCE = 8

const rate = fc.constantFrom(0, 0, 1_000, 50_000)
const price: fc.Arbitrary<Price | null> = fc.option(fc.record({ input: rate, output: rate }), { freq: 9 })
const offer = fc.record({
  backend: fc.constantFrom(...BACKENDS),
  price,
  enabled: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  capabilities: fc.option(fc.subarray<Capability>(['tools', 'images']), { nil: undefined }),
  contextTokensMax: fc.constantFrom(null, 100, 100_000),
})
const spec = fc.record({
  models: fc.array(fc.uniqueArray(offer, { selector: (one) => one.backend, maxLength: 3 }), { maxLength: 24 }),
  out: fc.subarray(BACKENDS, { maxLength: 2 }),
  kind: fc.constantFrom('prepaid' as const, 'unmetered' as const),
  listed: fc.option(fc.subarray(MODELS, { minLength: 1 })),
  by: fc.constantFrom('needs' as const, 'order' as const),
  freeOnly: fc.boolean(),
  permitted: fc.option(fc.subarray(MODELS, { minLength: 1 }), { freq: 4 }),
  images: fc.subarray(MODELS, { maxLength: 2 }),
  needs: fc.subarray(['tools' as const, 'images' as const]),
  promptTextBytes: fc.constantFrom(100, 4000, 400_000),
  variant: fc.constantFrom('', ':free'),
  ignore: fc.subarray(['b0', 'b3']),
  seed: fc.string({ maxLength: 4 }),
})
type Spec = typeof spec extends fc.Arbitrary<infer Value> ? Value : never

interface Case {
  readonly world: World
  readonly wish: Wish
}

function caseOf(given: Spec): Case {
  const backends = new Map(BACKENDS.map((id) => [id, backendOf(id)]))
  const models = given.models.map((offers, at): Model => {
    const id = `m${at}`
    const model = modelOf(id, [])
    const made = offers.flatMap(({ backend: name, ...fields }): Offer[] => {
      const backend = backends.get(name)
      const [plain] = backend === undefined ? [] : modelOf(id, [[backend]]).offers
      const { capabilities, ...rest } = fields
      return plain === undefined ? [] : [{ ...plain, ...rest, ...(capabilities === undefined ? {} : { capabilities }) }]
    })
    return { ...model, offers: made }
  })
  const router: RouterTerms = {
    candidates: given.listed,
    by: given.by,
    freeOnly: given.freeOnly,
    needs: given.images.length === 0 || given.by !== 'needs' ? {} : { images: given.images },
  }
  const parts = { ...partsOf([...backends.values()], models), routers: new Map([['r', router]]) }
  const base = worldOf({
    kind: given.kind,
    out: Object.fromEntries(given.out.map((id) => [id, NOW_MS + 1000])),
    ...(given.permitted === null ? {} : { models: given.permitted }),
  })
  return {
    world: { ...base, catalogue: buildCatalogue(parts, { version: 1, createdAtS: 0 }) },
    wish: {
      model: `r${given.variant}`,
      seed: given.seed,
      request: {
        choices: 1,
        outputLimit: null,
        promptTextBytes: given.promptTextBytes,
        promptMediaUnits: 0,
        needs: given.needs,
        preferences: { ...NO_PREFERENCES, ignore: given.ignore },
      },
    },
  }
}

/** Each model of the router by itself, eight at a time, whoever is done first; joined in their order. What `route` does one after the other. */
async function inBatches({ world, wish }: Case, turns: fc.Scheduler): Promise<Pick<RoutePlan, 'candidates' | 'skips'>> {
  const router = world.catalogue.routers.get('r')
  if (router === undefined) throw new Error('no router')
  const own: Wish = {
    ...wish,
    ...(wish.model.endsWith(':free') ? { variant: 'free' as const } : {}),
    ...(router.freeOnly ? { freeOnly: true as const } : {}),
  }
  const models = routerOrder(world, own, router, router.models)
  const lists: (readonly Candidate[])[] = []
  const skips: Skip[] = []
  for (let at = 0; at < models.length && lists.length < AT_ONCE; at += AT_ONCE) {
    const batch = models.slice(at, at + AT_ONCE).map(async (model) => {
      const its: Skip[] = []
      await turns.schedule(Promise.resolve())
      const list = ordered(passed(world, own, model, its), world, own)
      await turns.schedule(Promise.resolve())
      return { list, its }
    })
    const joining = Promise.all(batch)
    await turns.waitFor(joining)
    for (const { list, its } of await joining) {
      if (lists.length === AT_ONCE) break
      skips.push(...its)
      if (list.length > 0) lists.push(list)
    }
  }
  return { candidates: lists.flat(), skips }
}

const names = (candidates: readonly Candidate[]) => candidates.map((one) => one.offer.id)

test('branches planned side by side in any order, and joined, are what is planned one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(spec, fc.scheduler(), async (given, turns) => {
      const asked = caseOf(given)
      const plan = route(asked.world, asked.wish)
      const reference = await inBatches(asked, turns)
      expect(names(plan.candidates)).toEqual(names(reference.candidates))
      const told = plan.skips.filter(({ backend }) => backend !== '')
      const first = reference.skips.slice(0, 64)
      expect(told.slice(0, first.length)).toEqual(first)
      expect(new Set(told.map(({ rule, reason }) => rule + reason))).toEqual(
        new Set(reference.skips.map(({ rule, reason }) => rule + reason)),
      )
    }),
    runs,
  )
})

test('the same world and wish have the same plan; what is free never costs, what is named is permitted', () => {
  fc.assert(
    fc.property(spec, (given) => {
      const { world, wish } = caseOf(given)
      const plan = route(world, wish)
      expect(route(world, wish)).toEqual(plan)
      expect(plan.router).toBe('r')
      expect(new Set(names(plan.candidates)).size).toBe(plan.candidates.length)
      expect(new Set(plan.candidates.map((one) => one.offer.model)).size).toBeLessThanOrEqual(AT_ONCE)
      for (const { offer } of plan.candidates) {
        if (given.freeOnly || given.variant !== '') expect(offer.price !== null && isFree(offer.price)).toBe(true)
        if (given.permitted !== null) expect(given.permitted).toContain(offer.model)
        for (const need of given.needs) expect(offer.capabilities?.includes(need)).not.toBe(false)
        expect(given.out).not.toContain(offer.backend.id)
      }
      const hasOffers = world.catalogue.routers.get('r')?.models.some(({ offers }) => offers.length > 0) === true
      if (plan.candidates.length === 0 && hasOffers && given.permitted === null)
        expect(plan.skips.length).toBeGreaterThan(0)
    }),
    runs,
  )
})
