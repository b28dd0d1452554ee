import { expect, test } from 'bun:test'
import { buildCatalogue } from '../../../../src/catalogue/index.ts'
import { cheapestModel, onlyBackend } from '../../../../src/jobs/smoke/only-backend.ts'
import { backendOf, modelOf, partsOf } from '../../catalogue/support.ts'

const [one, two] = [backendOf('one'), backendOf('two')]
const price = (input: number, output: number, perRequest?: number) => ({
  input,
  output,
  ...(perRequest === undefined ? {} : { perRequest }),
})
const catalogueOf = (models: ReturnType<typeof modelOf>[], aliases: Record<string, string> = {}) =>
  buildCatalogue(partsOf([one, two], models, aliases), { version: 3, createdAtS: 1 })

test('as if there were no other backend: models that it does not offer are gone, with their aliases', () => {
  const catalogue = catalogueOf([modelOf('shared', [[one], [two]]), modelOf('theirs', [[two]])], {
    short: 'shared',
    gone: 'theirs',
  })
  const narrowed = onlyBackend(catalogue, 'one')
  expect([...narrowed.models.keys()]).toEqual(['shared'])
  expect(narrowed.models.get('shared')?.offers.map(({ id }) => id)).toEqual(['one/shared'])
  expect(narrowed).toMatchObject({ version: 3, aliases: new Map([['short', 'shared']]) })
  expect(narrowed.models.get('shared')?.offers[0]?.backend).toBe(one)
  expect(catalogue.models.get('shared')?.offers).toHaveLength(2)
})

test('the cheapest that costs something, then one that is free, then one without a price; never one that is disabled', () => {
  const free = modelOf('free', [[one, { price: price(0, 0) }]])
  const dear = modelOf('dear', [[one, { price: price(10, 20) }]])
  const byRequest = modelOf('by-request', [[one, { price: price(1, 1, 1000) }]])
  const off = modelOf('off', [[one, { price: price(1, 1), enabled: false }]])
  const unpriced = modelOf('unpriced', [[one]])
  const cheapest = (...models: ReturnType<typeof modelOf>[]) => cheapestModel(onlyBackend(catalogueOf(models), 'one'))
  expect(cheapest(unpriced, free, dear, byRequest, off)).toBe('dear')
  expect(cheapest(unpriced, free)).toBe('free')
  expect(cheapest(unpriced)).toBe('unpriced')
  expect(cheapest(off)).toBeNull()
  expect(cheapest(modelOf('theirs', [[two]]))).toBeNull()
})
