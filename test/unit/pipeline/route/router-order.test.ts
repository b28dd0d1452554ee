import { expect, test } from 'bun:test'
import type { MergedPolicy } from '../../../../src/domain/index.ts'
import { routerOrder } from '../../../../src/pipeline/route/router-order.ts'
import type { Wish } from '../../../../src/pipeline/route/rule.ts'
import { modelOf } from '../../catalogue/support.ts'
import { worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'
import { backendAt } from './rules/policy-kit.ts'
import { PLAIN, wishing } from './wish-kit.ts'

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
