import { expect, test } from 'bun:test'
import { dialectOf } from '../../../src/dialects/index.ts'
import { NO_PREFERENCES } from '../../../src/domain/index.ts'

const HELLO = { messages: [{ role: 'user', content: 'Hello' }] }
const read = (body: object) => dialectOf('openai').readRequest('chat.completions', Buffer.from(JSON.stringify(body)))

test('a body without such fields has nothing of them', () => {
  const facts = read({ model: 'm', ...HELLO, prompt_cache_key: 7, user: 'u' })
  expect([facts.preferences, facts.sessionId, facts.promptCacheKey, facts.layout.cuts]).toEqual(
    new Array(4).fill(undefined),
  )
})

test('fields that wish nothing are taken out all the same', () => {
  const facts = read({ model: 'm', ...HELLO, models: [], provider: null, usage: 3, route: 'x', session_id: null })
  expect([facts.preferences, facts.sessionId]).toEqual([undefined, undefined])
  const sent = dialectOf('openai').writeRequest(facts, { model: 'p', askUsage: false, outputLimit: null })
  expect(JSON.parse(Buffer.from(sent).toString())).toEqual({ model: 'p', ...HELLO })
})

test('models follow the one that is named, each once; the first of them stands in its place', () => {
  expect(read({ model: 'a', models: ['b', 'a', 'b', 'c'], ...HELLO })).toMatchObject({
    model: 'a',
    preferences: { ...NO_PREFERENCES, models: ['b', 'c'] },
  })
  expect(read({ models: ['a', 'b'], ...HELLO })).toMatchObject({ model: 'a', preferences: { models: ['b'] } })
  expect(() => read({ models: [], ...HELLO })).toThrow("'model'")
})

test('every operation has them', () => {
  const body = Buffer.from('{"input":"x","provider":{"only":["Acme"]},"models":["e","f"]}')
  const facts = dialectOf('openai').readRequest('embeddings', body)
  expect(facts).toMatchObject({ model: 'e', preferences: { only: ['acme'], models: ['f'] } })
  const sent = dialectOf('openai').writeRequest(facts, { model: 'p', askUsage: false, outputLimit: null })
  expect(Buffer.from(sent).toString()).toBe('{"model":"p","input":"x"}')
})

test('what a request needs is seen of its body', () => {
  const part = (type: string) => ({ role: 'user', content: [{ type, [type]: {} }] })
  expect(read({ model: 'm', messages: [part('image_url'), part('file'), part('image_url')] }).needs).toEqual([
    'images',
    'files',
  ])
  expect(read({ model: 'm', ...HELLO, tools: [], response_format: { type: 'json_object' } }).needs).toBeUndefined()
  expect(read({ model: 'm', ...HELLO, functions: [{ name: 'f' }] }).needs).toEqual(['tools'])
  expect(read({ model: 'm', ...HELLO, response_format: { type: 'json_schema', json_schema: {} } }).needs).toEqual([
    'json_schema',
  ])
})
