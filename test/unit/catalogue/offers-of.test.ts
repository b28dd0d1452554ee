import { expect, test } from 'bun:test'
import { buildCatalogue, offersOf } from '../../../src/catalogue/index.ts'
import { backendOf, modelOf, partsOf } from './support.ts'

test('all offers of a backend, one for each model that it serves', () => {
  const [north, south, idle] = [backendOf('north'), backendOf('south'), backendOf('idle')]
  const models = [modelOf('a', [[north], [south]]), modelOf('b', [[south]]), modelOf('c', [[north]])]
  const catalogue = buildCatalogue(partsOf([north, south, idle], models), { version: 1, createdAtS: 0 })
  const ids = (backend: string) => offersOf(catalogue, backend).map(({ id }) => id)
  expect([ids('north'), ids('south'), ids('idle')]).toEqual([['north/a', 'north/c'], ['south/a', 'south/b'], []])
})
