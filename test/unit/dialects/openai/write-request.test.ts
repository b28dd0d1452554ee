import { expect, test } from 'bun:test'
import { readRequest } from '../../../../src/dialects/openai/read-request.ts'
import { writeRequest } from '../../../../src/dialects/openai/write-request.ts'

const facts = readRequest('chat.completions', Buffer.from('{"model":"m","messages":[{"role":"user"}],"stream":true}'))
const written = (patch: Parameters<typeof writeRequest>[1]): string =>
  Buffer.from(writeRequest(facts, patch)).toString()

test('a limit nobody named goes into the field that the model understands', () => {
  const fieldFor = (model: string): string =>
    /max_\w+/.exec(written({ model, askUsage: false, outputLimit: 9 }))?.[0] ?? ''
  for (const model of ['gpt-4o', 'llama3', 'o', 'mistral-o1', 'deepseek-chat'])
    expect(fieldFor(model)).toBe('max_tokens')
  for (const model of ['o3', 'o4-mini', 'gpt-5', 'gpt-5.2-pro', 'openai/gpt-6'])
    expect(fieldFor(model)).toBe('max_completion_tokens')
})

test('attempt two equals attempt one', () => {
  const patch = { model: 'other', askUsage: true, outputLimit: 5 }
  const first = written(patch)
  expect(written(patch)).toBe(first)
  expect(first).toBe(
    '{"stream_options":{"include_usage":true},"max_tokens":5,"model":"other","messages":[{"role":"user"}],"stream":true}',
  )
  expect(Buffer.from(facts.body).toString()).toBe('{"model":"m","messages":[{"role":"user"}],"stream":true}')
})

test.each(['responses', 'completions'] as const)(
  '%s: a body that is for the gateway alone leaves an object',
  (operation) => {
    const bytes = Buffer.from('{ "models" : ["a"] , "session_id":"s" }')
    const sent = writeRequest(readRequest(operation, bytes), { model: 'b', askUsage: true, outputLimit: 5 })
    const limit = operation === 'responses' ? { max_output_tokens: 5 } : { max_tokens: 5 }
    const options = operation === 'responses' ? {} : { stream_options: { include_usage: true } }
    expect(JSON.parse(Buffer.from(sent).toString())).toEqual({ model: 'b', ...options, ...limit })
  },
)
