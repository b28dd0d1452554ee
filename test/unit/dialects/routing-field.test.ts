import { expect, test } from 'bun:test'
import { routingField } from '../../../src/dialects/routing-field.ts'

test('it goes behind the field before it, and only where somebody asked', () => {
  expect(`{"usage":1${routingField({ routing: () => '{"attempt":1}' })}}`).toBe(
    '{"usage":1,"openrouter_metadata":{"attempt":1}}',
  )
  expect(routingField({})).toBe('')
})
