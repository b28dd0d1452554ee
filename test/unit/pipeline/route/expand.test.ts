import { expect, test } from 'bun:test'
import { buildCatalogue } from '../../../../src/catalogue/index.ts'
import { expand } from '../../../../src/pipeline/route/expand.ts'
import { backendOf, modelOf, partsOf } from '../../catalogue/support.ts'

const catalogue = buildCatalogue(
  partsOf([backendOf('b')], [modelOf('acme/m', []), modelOf('acme/llama:free', [])], { small: 'acme/m' }),
  { version: 1, createdAtS: 0 },
)
const expanded = (name: string) => {
  const found = expand(catalogue, name)
  return found === null ? null : [...found.models.map(({ id }) => id), found.variant, found.router?.id]
}

test('an id or an alias is its model', () => {
  expect(expanded('acme/m')).toEqual(['acme/m', null, undefined])
  expect(expanded('small')).toEqual(['acme/m', null, undefined])
})

test('a variant stands behind either', () => {
  expect(expanded('acme/m:floor')).toEqual(['acme/m', 'floor', undefined])
  expect(expanded('small:nitro')).toEqual(['acme/m', 'nitro', undefined])
  expect(expanded('small:free')).toEqual(['acme/m', 'free', undefined])
})

test('an id that ends like a variant is that model', () => {
  expect(expanded('acme/llama:free')).toEqual(['acme/llama:free', null, undefined])
  expect(expanded('acme/llama:free:floor')).toEqual(['acme/llama:free', 'floor', undefined])
})

test.each([
  '',
  ':free',
  'acme/m:',
  'acme/m:exacto',
  'acme/m:FREE',
  'acme/other:free',
  'acme/m:free:free',
  'anyrouter/any',
])('%j is not known', (name) => expect(expanded(name)).toBeNull())

test('a router model is all its models, with a variant or by the name OpenRouter has for it', () => {
  const all = ['acme/m', 'acme/llama:free']
  expect(expanded('anyrouter/auto')).toEqual([...all, null, 'anyrouter/auto'])
  expect(expanded('openrouter/auto:floor')).toEqual([...all, 'floor', 'anyrouter/auto'])
  expect(expanded('openrouter/free')).toEqual([null, 'anyrouter/free'])
})
