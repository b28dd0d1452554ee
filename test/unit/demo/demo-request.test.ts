import { describe, expect, test } from 'bun:test'
import { readDemoRequest } from '../../../src/demo/demo-request.ts'

const messages = [{ role: 'user', content: 'hi' }]
const read = (fields: object) => readDemoRequest(JSON.stringify({ model: 'demo', messages, ...fields }))

describe('a request to a simulated provider', () => {
  test('null is an absent field, fields that are not known pass', () => {
    expect<unknown>(read({ n: null, stream_options: null, temperature: 1, user: 'me' })).toEqual({
      request: { model: 'demo', messages, temperature: 1, user: 'me' },
    })
    expect(read({ stream_options: { include_usage: null } })).toMatchObject({ request: { model: 'demo' } })
    expect(read({ messages: [{ role: 'assistant', content: null }] })).toHaveProperty('request')
    expect(read({ tools: [{ type: 'function', function: { name: 'f', parameters: null } }] })).toHaveProperty('request')
  })

  test.each([
    ['model', { model: 7 }],
    ['messages', { messages: [] }],
    ['messages.0', { messages: ['hi'] }],
    ['messages.0.content', { messages: [{ role: 'user', content: [{ text: 5 }] }] }],
    ['n', { n: 9 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
    ['tool_choice', { tool_choice: 1 }],
  ])('names %s as the field at fault', (param, fields) => {
    expect(read(fields)).toEqual({ param, message: expect.stringContaining(`'${param}'`) })
  })

  test.each(['{', '[]', '"hi"', 'null'])('names no field when the body as a whole is at fault: %s', (body) => {
    expect(readDemoRequest(body)).toMatchObject({ param: null, message: expect.any(String) })
  })
})
