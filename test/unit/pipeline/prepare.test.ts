import { expect, test } from 'bun:test'
import { prepare } from '../../../src/pipeline/prepare.ts'

const CHAT = '{"model":"m1","messages":[{"role":"user","content":"hi"}]}'

test('the facts are of the dialect, the body is the very bytes that came', () => {
  const body = Buffer.from(CHAT)
  const { dialect, facts } = prepare('openai', 'chat.completions', body)
  expect(dialect).toBe('openai')
  expect(facts.model).toBe('m1')
  expect(facts.body).toBe(body)
})

test('a byte order mark before the JSON is dropped, inside and alone it is not', () => {
  expect(Buffer.from(prepare('openai', 'chat.completions', Buffer.from(`\ufeff${CHAT}`)).facts.body).toString()).toBe(
    CHAT,
  )
  expect(() => prepare('openai', 'chat.completions', Buffer.from(`\ufeff\ufeff${CHAT}`))).toThrow('byte order mark')
  expect(() => prepare('openai', 'chat.completions', Buffer.from('\ufeff'))).toThrow('empty')
})
