import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../../src/domain/index.ts'
import { modelsPage } from '../../../../src/http/operations/models-page.ts'
import { openrouterModel } from '../../../../src/http/operations/openrouter-model.ts'

const MARKS = { createdAtS: 7, hideBackends: false }
const modelOf = (id: string, supported: readonly string[], made: string) => {
  const model = { id, contextTokensMax: null, outputTokensMax: null, capabilities: [], offers: [] }
  const shown = openrouterModel(model, MARKS)
  return {
    ...shown,
    supported_parameters: supported,
    architecture: { ...shown.architecture, output_modalities: [made] },
  }
}
const MODELS = [
  modelOf('a/One', ['tools', 'seed'], 'text'),
  modelOf('b/two', ['tools'], 'image'),
  modelOf('c/three', [], 'text'),
]
const page = (query: string) => {
  const { data, links, total_count } = modelsPage(MODELS, new URL(`http://gw/api/v1/models${query}`))
  return { ids: data.map(({ id }) => id), next: links.next, total: total_count }
}

describe('the query chooses', () => {
  test.each([
    ['', ['a/One', 'b/two', 'c/three']],
    ['?category=x&supported_parameters=', ['a/One', 'b/two', 'c/three']],
    ['?supported_parameters=tools', ['a/One', 'b/two']],
    ['?supported_parameters=tools,seed', ['a/One']],
    ['?output_modalities=image,audio', ['b/two']],
    ['?output_modalities=all', ['a/One', 'b/two', 'c/three']],
    ['?q=ONE', ['a/One']],
    ['?q=zzz', []],
  ])('%p', (query, ids) => expect(page(query)).toEqual({ ids, next: null, total: ids.length }))
})

test('pages lead on to the next', () => {
  const first = page('?limit=2&q=t')
  expect(first).toEqual({ ids: ['b/two', 'c/three'], next: null, total: 2 })
  const one = page('?limit=1&q=t')
  expect(one).toEqual({ ids: ['b/two'], next: '/api/v1/models?limit=1&q=t&offset=1', total: 2 })
  expect(page(one.next?.slice('/api/v1/models'.length) ?? '')).toEqual({ ids: ['c/three'], next: null, total: 2 })
  expect(page('?offset=9')).toEqual({ ids: [], next: null, total: 3 })
  expect(page('?limit=0')).toEqual({ ids: [], next: null, total: 3 })
})

test.each(['?offset=-1', '?limit=x', '?limit='])('%p is a fault', (query) => {
  expect(() => page(query)).toThrow(GatewayError)
})
