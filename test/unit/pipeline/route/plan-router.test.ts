import { expect, test } from 'bun:test'
import type { Model, RouterTerms, Skip } from '../../../../src/domain/index.ts'
import { RankBook } from '../../../../src/pipeline/rank-book.ts'
import { planRouter } from '../../../../src/pipeline/route/plan-router.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import type { Wish } from '../../../../src/pipeline/route/rule.ts'
import { backendOf, modelOf } from '../../catalogue/support.ts'
import { worldOf } from './route-kit.ts'
import { modelWith, routerWorld } from './router-kit.ts'
import { PLAIN, wishing } from './wish-kit.ts'

function planned(models: readonly Model[], terms: Partial<RouterTerms> = {}, wish: Wish = PLAIN) {
  const { world, router } = routerWorld(models, terms)
  const skips: Skip[] = []
  const book = new RankBook()
  const candidates = planRouter(world, wish, { router, models: router.models }, skips, book)
  return { skips, candidates, book, ids: candidates.map(({ offer }) => offer.model) }
}
const many = (count: number, fields: Parameters<typeof modelWith>[1] = {}) =>
  Array.from({ length: count }, (_, at) => modelWith(`m${at}`, fields))

test('its models one after the other, at most eight', () => {
  const { ids, book, candidates } = planned(many(20), { by: 'order' })
  expect(ids).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'])
  expect(candidates.map((one) => book.of(one)[0])).toEqual(ids.map((_, key) => ({ rule: 'router', key })))
})

test('models without anybody do not count, and of many skips those of each kind stay', () => {
  const { ids, skips } = planned([...many(100, { enabled: false }), modelWith('last')], { by: 'order' })
  expect(ids).toEqual(['last'])
  expect(skips).toHaveLength(64)
  const two = planned(
    [...many(100, { enabled: false }), modelWith('blind', { capabilities: [] })],
    { by: 'order' },
    wishing({}, { needs: ['images'] }),
  )
  expect(new Set(two.skips.map(({ rule }) => rule))).toEqual(new Set(['enabled', 'capable']))
})

test('skips of one kind are of one rule for one reason', () => {
  const off = many(64, { enabled: false })
  const backend = backendOf('dark', false)
  const dark = Array.from({ length: 40 }, (_, at) => modelOf(`dark${at}`, [[backend]]))
  const { skips } = planned([...off.slice(0, 40), ...dark], { by: 'order' })
  expect(skips).toHaveLength(64)
  const late = planned([...off, ...dark], { by: 'order' }).skips
  expect(late).toHaveLength(65)
  expect(late.at(-1)).toMatchObject({ rule: 'enabled', reason: 'the backend is disabled' })
})

test('a router without models says so', () => {
  expect(planned([])).toMatchObject({
    ids: [],
    skips: [{ offer: 'r', backend: '', rule: 'known-model', reason: 'the router has no model' }],
  })
})

test('a key that may use the router may use its models', () => {
  const { world, router } = routerWorld(many(2), { by: 'order' })
  const idsFor = (models: readonly string[]) =>
    planRouter({ ...world, context: worldOf({ models }).context }, PLAIN, { router, models: router.models }, []).length
  expect([idsFor(['r']), idsFor(['m1']), idsFor(['elsewhere'])]).toEqual([2, 1, 0])
})

test('by price the offers of all are one list, a free router has the free offers alone', () => {
  const [north, south] = [backendOf('north'), backendOf('south')]
  const price = (input: number) => ({ price: { input, output: input } })
  const models = [
    modelOf('a', [
      [north, price(9)],
      [south, price(0)],
    ]),
    modelOf('b', [[north, price(5)]]),
  ]
  const offers = (terms: Partial<RouterTerms>, wish = PLAIN) =>
    planned(models, terms, wish).candidates.map(({ offer }) => offer.id)
  expect(offers({ by: 'price' })).toEqual(['south/a', 'north/b', 'north/a'])
  expect(offers({ by: 'order' })).toEqual(['north/a', 'south/a', 'north/b'])
  expect(offers({ by: 'order' }, { ...PLAIN, variant: 'floor' })).toEqual(['south/a', 'north/b', 'north/a'])
  expect(offers({ freeOnly: true })).toEqual(['south/a'])
})

test('a free one has nobody who costs, and says so where there is nobody at all', () => {
  const gift = { price: { input: 0, output: 0 } }
  expect(planned([modelWith('dear'), modelWith('gift', gift)], { freeOnly: true }).ids).toEqual(['gift'])
  expect(planned([modelWith('dear')], { freeOnly: true })).toMatchObject({
    ids: [],
    skips: [{ offer: 'r', rule: 'free', reason: 'no model has an offer whose price is zero' }],
  })
})

test('without fallbacks it is one offer of one model', () => {
  expect(planned(many(3), { by: 'order' }, wishing({ allowFallbacks: false })).ids).toEqual(['m0'])
})

test('a plan names the router and the model that comes first; among several names each model stands once', () => {
  const { world } = routerWorld(many(3), { candidates: ['m2', 'm0'], by: 'order' })
  expect(route(world, { ...PLAIN, model: 'r' })).toMatchObject({ router: 'r', model: 'm2' })
  const plan = route(world, { ...wishing({ models: ['r', 'm0', 'm1'] }), model: 'm0' })
  expect(plan.candidates.map(({ offer }) => offer.model)).toEqual(['m0', 'm2', 'm1'])
  expect(plan).not.toHaveProperty('router')
})
