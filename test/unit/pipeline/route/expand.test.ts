import { expect, test } from 'bun:test'
import { expand } from '../../../../src/pipeline/route/expand.ts'
import { backendOf, modelOf, partsOf } from '../../catalogue/support.ts'

const catalogue = {
  ...partsOf([backendOf('b')], [modelOf('acme/m', []), modelOf('acme/llama:free', [])], { small: 'acme/m' }),
  version: 1,
  createdAtS: 0,
}
const expanded = (name: string) => expand(catalogue, name).map(({ model, variant }) => [model.id, variant])

test('an id or an alias is its model', () => {
  expect(expanded('acme/m')).toEqual([['acme/m', null]])
  expect(expanded('small')).toEqual([['acme/m', null]])
})

test('a variant stands behind either', () => {
  expect(expanded('acme/m:floor')).toEqual([['acme/m', 'floor']])
  expect(expanded('small:nitro')).toEqual([['acme/m', 'nitro']])
  expect(expanded('small:free')).toEqual([['acme/m', 'free']])
})

test('an id that ends like a variant is that model', () => {
  expect(expanded('acme/llama:free')).toEqual([['acme/llama:free', null]])
  expect(expanded('acme/llama:free:floor')).toEqual([['acme/llama:free', 'floor']])
})

test.each(['', ':free', 'acme/m:', 'acme/m:exacto', 'acme/m:FREE', 'acme/other:free', 'acme/m:free:free'])(
  '%j is not known',
  (name) => expect(expanded(name)).toEqual([]),
)
