import { expect, test } from 'bun:test'
import { requestForm } from '../../../../src/dialects/openai/operation-form.ts'

test('what is left out is as in most requests, and the fields are found by their names', () => {
  const form = requestForm({ fields: { model: 'model', input: 'input' } })
  expect(form).toMatchObject({ required: ['model'], defaultModel: null, asksUsage: false })
  const bytes = Buffer.from('input')
  expect(form.keys.find(bytes, 0, bytes.length)).toBe('input')
  expect(requestForm({ fields: {}, required: [], asksUsage: true })).toMatchObject({ required: [], asksUsage: true })
})
