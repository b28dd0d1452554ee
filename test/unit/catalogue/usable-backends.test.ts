import { expect, test } from 'bun:test'
import { buildCatalogue, usableBackends } from '../../../src/catalogue/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

test('usable is what is enabled and has an enabled offer', () => {
  const [a, b, c, d] = [backendOf('a'), backendOf('b', false), backendOf('c'), backendOf('d')]
  const models = [modelOf('m', [[b], [d], [c, { enabled: false }]]), modelOf('n', [[d], [a, { enabled: false }]])]
  const catalogue = buildCatalogue(partsOf([a, b, c, d], models), { version: 1, createdAtS: 0 })
  expect(usableBackends(catalogue).map(({ id }) => id)).toEqual(['d'])
})
