import { expect, test } from 'bun:test'
import { requestParameters } from '../../../src/dialects/request-parameters.ts'

const of = (body: object) => requestParameters(Buffer.from(JSON.stringify(body)))

test('the optional parameters that are used, by their names', () => {
  expect(of({ model: 'm', messages: [], temperature: 0, stream: true, user: 'u', top_k: 3, other: 1 })).toEqual([
    'temperature',
    'top_k',
  ])
})

test('null uses none', () => {
  expect(of({ stop: null, seed: null })).toEqual([])
})

test('a schema is more than a form', () => {
  expect(of({ response_format: { type: 'json_schema', json_schema: {} } })).toEqual([
    'response_format',
    'structured_outputs',
  ])
  expect(of({ response_format: { type: 'json_object' } })).toEqual(['response_format'])
})
