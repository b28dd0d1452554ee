import { expect, test } from 'bun:test'
import type { MergedPolicy } from '../../../../src/domain/index.ts'
import { routerOrder } from '../../../../src/pipeline/route/router-order.ts'
import type { Wish } from '../../../../src/pipeline/route/rule.ts'
import { modelOf } from '../../catalogue/support.ts'
import { worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'
import { backendAt } from './rules/policy-kit.ts'
import { PLAIN, seenWorld, wishing } from './wish-kit.ts'

const price = (input: number) => ({ price: { input, output: input } })
const MODELS = [
  modelWith('dear', { ...price(9), capabilities: ['tools', 'images'] }),
  modelWith('blind', { ...price(1), capabilities: ['tools'] }),
  modelWith('unsaid', price(2)),
]
const order = (wish: Wish, ...given: Parameters<typeof routerWorld>) => {
  const { world, router } = routerWorld(...given)
  return routerOrder(world, wish, router, router.models).map(({ id }) => id)
}
const needing = (...needs: ('images' | 'tools')[]) => wishing({}, { needs })
const long = (tokens: number) => wishing({}, { promptTextBytes: tokens * 4 })

test('of all models the cheapest first; what is known to fit before what is not said, what cannot last', () => {
  expect(order(PLAIN, MODELS)).toEqual(['blind', 'unsaid', 'dear'])
  expect(order(needing('images'), MODELS)).toEqual(['dear', 'unsaid', 'blind'])
  expect(order(needing('tools'), MODELS)).toEqual(['blind', 'dear', 'unsaid'])
})

test('what counts is the offer that would come first: not a cheaper one behind it, none that may not be used; home before all that is cheaper', () => {
  const backends = { ca: backendAt({ id: 'ca', region: 'ca' }), us: backendAt({ id: 'us', region: 'us' }) }
  const at = (where: keyof typeof backends, input: number) => [backends[where], price(input)] as const
  const models = [
    modelOf('a', [at('us', 5), at('ca', 1)]),
    modelOf('b', [at('ca', 3), at('us', 4)]),
    modelOf('c', [at('us', 2)]),
  ]
  const { world, router } = routerWorld(models)
  const ids = (policy: Partial<MergedPolicy>, homeRegions: readonly string[] = []) =>
    routerOrder({ ...world, homeRegions, policy: { ...world.policy, ...policy } }, PLAIN, router, models).map(
      ({ id }) => id,
    )
  expect(ids({ allowForeign: true })).toEqual(['c', 'b', 'a'])
  expect(ids({ regions: ['us'] })).toEqual(['c', 'b', 'a'])
  expect(ids({ regions: ['ca'] })).toEqual(['a', 'b', 'c'])
  expect(ids({ allowForeign: true }, ['ca'])).toEqual(['a', 'b', 'c'])
  expect(ids({ allowForeign: false }, ['us'])).toEqual(['c', 'b', 'a'])
})

test('as listed, where the operator lists; by order whatever the request needs', () => {
  const candidates = ['dear', 'blind']
  expect(order(PLAIN, MODELS, { candidates })).toEqual(candidates)
  expect(order(needing('images'), MODELS, { candidates: ['blind', 'dear'] })).toEqual(['dear', 'blind'])
  expect(order(needing('images'), MODELS, { candidates: ['blind', 'dear'], by: 'order' })).toEqual(['blind', 'dear'])
})

test('the list of the first need that a request has comes first', () => {
  const needs = {
    long_context: ['unsaid'],
    images: ['dear'],
    tools: ['blind'],
    cheap: ['unsaid'],
    best: ['dear', 'blind'],
  }
  const first = (wish: Wish) => order(wish, MODELS, { candidates: ['blind', 'dear'], needs })[0]
  expect(first(long(32_000))).toBe('unsaid')
  expect(first(needing('images', 'tools'))).toBe('dear')
  expect(first(needing('tools'))).toBe('blind')
  expect(first(PLAIN)).toBe('unsaid')
  expect(order(long(2000), MODELS, { candidates: ['blind'], needs })).toEqual(['dear', 'blind', 'unsaid'])
})

test('each need has its bounds, and the first that a request has counts alone', () => {
  const models = ['a', 'b', 'c', 'd', 'e'].map((id) => modelWith(id, { capabilities: ['tools', 'images'] }))
  const needs = { long_context: ['a'], images: ['b'], tools: ['c'], cheap: ['d'], best: ['e'] }
  const first = (wish: Wish) => order(wish, models, { candidates: ['e', 'd', 'c', 'b', 'a'], needs })[0]
  expect([32_000, 31_999, 2000, 1999].map((tokens) => first(long(tokens)))).toEqual(['a', 'e', 'e', 'd'])
  expect([needing('images'), needing('tools'), needing('tools', 'images')].map(first)).toEqual(['b', 'c', 'b'])
  expect(first(wishing({}, { promptTextBytes: 128_000, needs: ['images'] }))).toBe('a')
})

test('what cannot serve the request comes last, whatever speaks for it', () => {
  const candidates = ['blind', 'unsaid', 'dear']
  const needs = { images: ['blind'] }
  expect(order(needing('images'), MODELS, { candidates, needs })).toEqual(['dear', 'unsaid', 'blind'])
  const { world, router } = routerWorld(MODELS, { candidates })
  const sticky = new Map([['blind', { backend: 'north', cachedTokens: 0 }]])
  const ids = routerOrder({ ...world, sticky }, needing('images'), router, router.models).map(({ id }) => id)
  expect(ids).toEqual(['dear', 'unsaid', 'blind'])
  // sorted by something too: of none anything is known here
  expect(order({ ...needing('images'), variant: 'nitro' }, MODELS, { candidates })).toEqual(['unsaid', 'dear', 'blind'])
})

test('one offer that is known to fit is enough', () => {
  const twice = modelWith('twice', price(9))
  const both = {
    ...twice,
    offers: twice.offers.flatMap((offer) => [offer, { ...offer, capabilities: ['images'] as const }]),
  }
  expect(order(needing('images'), [modelWith('unsaid', price(1)), both])).toEqual(['twice', 'unsaid'])
})

test('as listed, where nothing is known of the request', () => {
  const candidates = ['unsaid', 'dear', 'blind']
  expect(order({ model: 'r' }, MODELS, { candidates, needs: { best: ['dear'] } })).toEqual(candidates)
})

test.each([
  ['latency', { firstContentP50Ms: 9 }, { firstContentP50Ms: 3 }],
  ['throughput', { tokensPerSecond: 3 }, { tokensPerSecond: 9 }],
  ['uptime', { successRate: 0.3 }, { successRate: 0.9 }],
] as const)('by %s, what was observed of each decides', (by, worse, better) => {
  const { world, router } = routerWorld(MODELS)
  const { observed } = seenWorld({})
  const seen = seenWorld({ dear: worse, unsaid: better }).observed
  const wish = wishing({ sort: { by, acrossModels: false } })
  const ids = (observed: typeof seen) =>
    routerOrder({ ...world, observed }, wish, router, router.models).map(({ id }) => id)
  const standing = router.models.map(({ id }) => id)
  expect(ids(observed)).toEqual(standing)
  const byModel = { ...seen, of: (offer: string) => seen.of(`${offer.split('/')[1]}/acme/m`) }
  expect(ids(byModel)).toEqual(['unsaid', 'dear', 'blind'])
})

test('by weight the seed decides', () => {
  const models = ['a', 'b'].map((id) => modelWith(id))
  const wish = wishing({ sort: { by: 'weight', acrossModels: false } })
  const first = (seed: string) => order({ ...wish, seed }, models)[0] ?? ''
  expect(new Set(Array.from({ length: 30 }, (_, at) => first(`req_${at}`)))).toEqual(new Set(['a', 'b']))
})

test('by price, and by what the request sorts by, each model counts with its best offer', () => {
  const byPrice = { ...PLAIN, sort: 'price' as const }
  expect(order(byPrice, MODELS, { candidates: ['dear', 'unsaid', 'blind'], by: 'price' })).toEqual([
    'blind',
    'unsaid',
    'dear',
  ])
  expect(order({ ...PLAIN, variant: 'floor' }, MODELS, { by: 'order' })).toEqual(['blind', 'unsaid', 'dear'])
})

test('free ones are drawn by the seed: each is first now and then, and the same seed draws the same', () => {
  const gifts = ['a', 'b', 'c'].map((id) => modelWith(id, price(0)))
  const first = (seed: string) => order({ ...PLAIN, seed }, gifts, { freeOnly: true })[0] ?? ''
  const counts = new Map<string, number>()
  for (let at = 0; at < 300; at++) counts.set(first(`req_${at}`), (counts.get(first(`req_${at}`)) ?? 0) + 1)
  expect([...counts.keys()].toSorted()).toEqual(['a', 'b', 'c'])
  expect(Math.min(...counts.values())).toBeGreaterThan(60)
  expect(first('req_7')).toBe(first('req_7'))
  expect(order(PLAIN, gifts, { freeOnly: true })).toEqual(['a', 'b', 'c']) // without a seed nothing is drawn
  const named = (seed: string) => order({ ...PLAIN, seed, variant: 'free' }, gifts)[0] ?? ''
  expect(new Set(Array.from({ length: 30 }, (_, at) => named(`req_${at}`))).size).toBe(3)
})

test('a session stays with its model, and names that nobody may use are left out', () => {
  const { world, router } = routerWorld(MODELS)
  const sticky = new Map([['dear', { backend: 'north', cachedTokens: 0 }]])
  const ids = (seen: typeof world) => routerOrder(seen, PLAIN, router, router.models).map(({ id }) => id)
  expect(ids({ ...world, sticky })[0]).toBe('dear')
  const bound = { ...world, context: worldOf({ models: ['unsaid', 'dear'] }).context }
  expect(ids(bound)).toEqual(['unsaid', 'dear'])
  expect(ids({ ...world, context: worldOf({ models: ['elsewhere'] }).context })).toHaveLength(3)
})
