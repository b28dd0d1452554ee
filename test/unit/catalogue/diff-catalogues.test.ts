import { expect, test } from 'bun:test'
import { buildCatalogue, diffCatalogues } from '../../../src/catalogue/index.ts'
import type { Backend, CatalogueParts } from '../../../src/domain/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

const NOTHING = { added: [], removed: [], changed: [] }

test('the same values in other objects are no change, in whatever order', () => {
  const make = (ids: readonly string[]) => {
    const backends = ids.map((id) => backendOf(id))
    return partsOf(backends, [modelOf('m', backends.map((backend) => [backend] as const).slice(0, 1))], { alias: 'm' })
  }
  const two = diffCatalogues(make(['a', 'b']), make(['a', 'b']))
  expect(two).toEqual({ backends: NOTHING, models: NOTHING, aliases: NOTHING, routers: NOTHING })
  expect(diffCatalogues(make(['a', 'b']), make(['b', 'a'])).backends).toEqual(NOTHING)
})

test('names what is new, gone and different', () => {
  const [a, b, c] = [backendOf('a'), backendOf('b'), backendOf('c')]
  const before = partsOf([a, b], [modelOf('m', [[a]]), modelOf('old', [[b]])], { x: 'm', y: 'm' })
  const after = partsOf([{ ...a, slots: 9 }, c], [modelOf('m', [[{ ...a, slots: 9 }]]), modelOf('new', [[c]])], {
    x: 'new',
    z: 'm',
  })
  expect(diffCatalogues(before, after)).toEqual({
    backends: { added: ['c'], removed: ['b'], changed: ['a'] },
    models: { added: ['new'], removed: ['old'], changed: [] },
    aliases: { added: ['z'], removed: ['y'], changed: ['x'] },
    routers: NOTHING,
  })
})

test('a new secret changes the backends of its provider; a price, the order of offers change their model', () => {
  const [a, b] = [backendOf('a'), backendOf('b')]
  const keyed = (secret: string): Backend => ({
    ...a,
    provider: { ...a.provider, credentials: [{ id: 'main', secret }] },
  })
  expect(diffCatalogues(partsOf([keyed('one'), b], []), partsOf([keyed('two'), b], [])).backends).toEqual({
    ...NOTHING,
    changed: ['a'],
  })
  const price = { input: 1, output: 2 }
  const models = (...all: Parameters<typeof modelOf>[1][]) =>
    partsOf(
      [a, b],
      all.map((offers) => modelOf('m', offers)),
    )
  const before = models([[a, { price }], [b]])
  expect(diffCatalogues(before, models([[b], [a, { price }]])).models.changed).toEqual(['m'])
  expect(diffCatalogues(before, models([[a, { price: { ...price, output: 3 } }], [b]])).models.changed).toEqual(['m'])
})

test('a router changes with what the operator says of it, not with its models', () => {
  const [a] = [backendOf('a')]
  const made = (ids: readonly string[], routers: CatalogueParts['routers'] = new Map()) =>
    buildCatalogue(
      {
        ...partsOf(
          [a],
          ids.map((id) => modelOf(id, [[a]])),
        ),
        routers,
      },
      { version: 1, createdAtS: 0 },
    )
  const terms = { candidates: ['m'], by: 'needs', freeOnly: false, needs: {} } as const
  expect(diffCatalogues(made(['m']), made(['m', 'n'])).routers).toEqual(NOTHING)
  const described = made(['m'], new Map([['r', terms]]))
  expect(diffCatalogues(made(['m']), described).routers).toEqual({ ...NOTHING, added: ['r'] })
  const other = made(['m'], new Map([['r', { ...terms, by: 'order' }]]))
  expect(diffCatalogues(described, other).routers).toEqual({ ...NOTHING, changed: ['r'] })
})
