import { describe, expect, test } from 'bun:test'
import { demoAnswer, tokensOf } from '../../../src/demo/demo-answer.ts'
import { readDemoRequest } from '../../../src/demo/demo-request.ts'

const requestOf = (fields: object) => {
  const read = readDemoRequest(
    JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  )
  if ('message' in read) throw new Error(read.message)
  return read.request
}
const tool = (parameters: object) => ({ type: 'function', function: { name: 'get_weather', parameters } })

describe('tokensOf', () => {
  test('words and marks, which joined are the text again', () => {
    expect(tokensOf('Hello from north. I am')).toEqual(['Hello', ' from', ' north', '.', ' I', ' am'])
    for (const text of ['', '  ', 'ça va — don’t!  ', '\n🙂 a_b\t']) expect(tokensOf(text).join('')).toBe(text)
  })
})

describe('demoAnswer', () => {
  test('the sample of the first ten minutes is 9 in, 10 out', () => {
    const answer = demoAnswer(requestOf({}), 'north', '')
    expect(answer).toMatchObject({ promptTokens: 9, outputTokens: 10, finishReason: 'stop', toolCall: null })
    expect(answer.pieces.join('')).toBe('Hello from north. I am a simulated provider.')
  })

  test('the output limit cuts it', () => {
    for (const limit of ['max_tokens', 'max_completion_tokens']) {
      const answer = demoAnswer(requestOf({ [limit]: 3 }), 'north', '')
      expect(answer).toMatchObject({ pieces: ['Hello', ' from', ' north'], outputTokens: 3, finishReason: 'length' })
    }
    expect(demoAnswer(requestOf({ max_tokens: 10 }), 'north', '').finishReason).toBe('stop')
  })

  test('parts of text count as text', () => {
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'image_url', image_url: { url: 'data:,' } },
    ]
    expect(demoAnswer(requestOf({ messages: [{ role: 'user', content }] }), 'north', '').promptTokens).toBe(9)
  })

  test('tools are called with arguments that fit their schema', () => {
    const parameters = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['c', 'f'] },
        days: { type: 'integer' },
        where: { type: 'object', properties: { exact: { type: 'boolean' } } },
        tags: { type: 'array' },
      },
    }
    const answer = demoAnswer(requestOf({ tools: [tool(parameters)] }), 'north', '')
    expect(answer).toMatchObject({ finishReason: 'tool_calls', pieces: [] })
    expect(answer.toolCall?.name).toBe('get_weather')
    expect(JSON.parse(answer.toolCall?.arguments ?? '')).toEqual({
      city: 'demo',
      unit: 'c',
      days: 1,
      where: { exact: true },
      tags: [],
    })
  })

  test('no tool is called when the caller forbids it or brings the result', () => {
    const tools = [tool({})]
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null },
      { role: 'tool', content: '{}' },
    ]
    for (const fields of [{ tools, tool_choice: 'none' }, { tools, messages }, { tools: [] }, { tools: null }]) {
      expect(demoAnswer(requestOf(fields), 'north', '').toolCall).toBeNull()
    }
  })
})
