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

test('what Anthropic and responses call otherwise counts by the name that offers have', () => {
  const message = { max_tokens: 5, stop_sequences: ['x'], thinking: { type: 'enabled', budget_tokens: 9 } }
  expect(of(message)).toEqual(['max_tokens', 'stop', 'reasoning'])
  expect(of({ thinking: { type: 'disabled' } })).toEqual([])
  expect(of({ output_format: { type: 'json_schema', schema: {} } })).toEqual(['structured_outputs'])
  expect(of({ output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } } })).toEqual([
    'reasoning_effort',
    'structured_outputs',
  ])
  expect(of({ max_output_tokens: 5, text: { format: { type: 'json_schema' }, verbosity: 'low' } })).toEqual([
    'max_tokens',
    'response_format',
    'structured_outputs',
    'verbosity',
  ])
  expect(of({ text: { format: { type: 'text' } } })).toEqual([])
  expect(of({ text: {}, output_config: {}, output_format: null })).toEqual([])
})

test('a schema is more than a form', () => {
  expect(of({ response_format: { type: 'json_schema', json_schema: {} } })).toEqual([
    'response_format',
    'structured_outputs',
  ])
  expect(of({ response_format: { type: 'json_object' } })).toEqual(['response_format'])
})
