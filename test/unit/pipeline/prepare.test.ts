import { expect, test } from 'bun:test'
import { prepare } from '../../../src/pipeline/prepare.ts'
import { chat } from '../../support/ask.ts'
import { MODEL } from '../../support/house.ts'

const CALLER = new Request('http://gw/v1/messages?beta=true', {
  headers: {
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'a',
    'x-anthropic-beta': 'b',
    cookie: 'c',
    'x-y': 'z',
  },
})
const prepared = (body: string | Uint8Array) => prepare('openai', 'chat.completions', Buffer.from(body), CALLER)

test('of the head nothing goes on but what the dialect names', () => {
  expect(prepared(chat()).passed).toEqual({ headers: [], query: '' })
  const body = Buffer.from('{"model":"m","max_tokens":1,"messages":[{}]}')
  expect(prepare('anthropic', 'messages', body, CALLER).passed).toEqual({
    headers: [
      ['anthropic-version', '2026-10-21'],
      ['anthropic-beta', 'a,b'],
    ],
    query: '?beta=true',
  })
})

test('keeps the raw bytes, and reads what the gateway must know', () => {
  const body = chat({ stream: true, max_tokens: 7, unknown: 1 })
  const { dialect, facts } = prepared(body)
  expect(dialect).toBe('openai')
  expect(facts).toMatchObject({ model: MODEL, stream: true, outputLimit: 7, choices: 1 })
  expect(Buffer.from(facts.body).toString()).toBe(body)
})

test('refuses what is no JSON, with its position, and what lacks a field, with its name', () => {
  expect(() => prepared('{"model": }')).toThrow(
    expect.objectContaining({ code: 'invalid_json', message: expect.stringMatching(/line 1, column 11/) }),
  )
  expect(() => prepared('{"model": "m"}')).toThrow(
    expect.objectContaining({ code: 'invalid_request', details: { param: 'messages' } }),
  )
})

test('a byte order mark before the JSON is not passed on', () => {
  const body = chat()
  const { facts } = prepared(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]))
  expect(Buffer.from(facts.body).toString()).toBe(body)
})
