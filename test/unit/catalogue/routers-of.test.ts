import { expect, test } from 'bun:test'
import { routersOf } from '../../../src/catalogue/index.ts'
import type { CatalogueParts, RouterTerms } from '../../../src/domain/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

const FREE = { input: 0, output: 0 }
const [on, off] = [backendOf('on'), backendOf('off', false)]
const parts = partsOf(
  [on, off],
  [
    modelOf('paid', [[on, { price: { input: 1, output: 0 } }]]),
    modelOf('gift', [[on, { price: FREE }]]),
    modelOf('once', [[off, { price: FREE }], [on, { price: FREE, enabled: false }], [on]]),
  ],
  { alias: 'paid' },
)
const shown = (given: CatalogueParts) =>
  Object.fromEntries([...routersOf(given)].map(([id, { models }]) => [id, models.map((model) => model.id)]))
const terms = (given: Partial<RouterTerms>): RouterTerms => ({
  candidates: null,
  by: 'needs',
  freeOnly: false,
  needs: {},
  ...given,
})

test('two are there by themselves, as soon as there is a model', () => {
  expect(shown(parts)).toEqual({ 'anyrouter/auto': ['paid', 'gift', 'once'], 'anyrouter/free': ['gift'] })
  expect(shown(partsOf([], []))).toEqual({})
  for (const router of routersOf(parts).values()) expect(router).toMatchObject({ by: 'needs', candidates: null })
})

test('one free offer is enough', () => {
  const mixed = modelOf('mixed', [
    [on, { price: { input: 1, output: 1 } }],
    [on, { price: FREE }],
  ])
  expect(shown(partsOf([on], [mixed]))['anyrouter/free']).toEqual(['mixed'])
})

test('the operator says otherwise, and adds others; a model or an alias of that name comes first', () => {
  const routers = new Map([
    ['anyrouter/auto', terms({ candidates: ['gift', 'paid', 'gift'] })],
    ['team/x', terms({ candidates: ['paid'], needs: { images: ['once', 'gone'] } })],
  ])
  expect(shown({ ...parts, routers })).toEqual({
    'anyrouter/auto': ['gift', 'paid'],
    'anyrouter/free': ['gift'],
    'team/x': ['paid', 'once'],
  })
  const taken = partsOf([on], [modelOf('anyrouter/auto', [[on]])], { 'anyrouter/free': 'anyrouter/auto' })
  expect(shown(taken)).toEqual({})
})
