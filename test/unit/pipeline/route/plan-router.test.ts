import { expect, test } from 'bun:test'
import type { Model, RouterTerms, Skip } from '../../../../src/domain/index.ts'
import { RankBook } from '../../../../src/pipeline/rank-book.ts'
import { planRouter } from '../../../../src/pipeline/route/plan-router.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import type { Wish } from '../../../../src/pipeline/route/rule.ts'
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

test('by price they are one list', () => {
  const cheap = { price: { input: 1, output: 1 } }
  const { ids } = planned([modelWith('dear'), modelWith('cheap', cheap)], { by: 'price' })
  expect(ids).toEqual(['cheap', 'dear'])
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
