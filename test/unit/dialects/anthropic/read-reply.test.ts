import { expect, test } from 'bun:test'
import { readReply } from '../../../../src/dialects/anthropic/read-reply.ts'

const VIEW = { operation: 'messages', model: 'a"\u0001é', showUsage: true } as const

test('the model name is put in with what JSON needs escaped, the provider’s body stays as it was', () => {
  const body = Buffer.from('{"content":[],"model":null}')
  const reply = readReply(body, VIEW)
  expect(reply.kind === 'answer' && JSON.parse(Buffer.from(reply.body).toString()).model).toBe(VIEW.model)
  expect(body.toString()).toBe('{"content":[],"model":null}')
})

test('a message about an answer that is none stays short and quotes nothing of it', () => {
  const reply = readReply(Buffer.from(`{"content":[{"text":"${'CANARY '.repeat(9999)}`), VIEW)
  if (reply.kind !== 'not_an_answer') throw new Error(reply.kind)
  expect(reply.message).not.toContain('CANARY')
  expect(reply.message.length).toBeLessThan(200)
})

test('a count is an answer to who asked for one, and nothing else is', () => {
  const counted = Buffer.from('{"input_tokens":3}')
  expect(readReply(counted, { ...VIEW, operation: 'messages.count_tokens' }).kind).toBe('answer')
  expect(readReply(counted, VIEW).kind).toBe('not_an_answer')
  const asked = { ...VIEW, operation: 'messages.count_tokens' } as const
  expect(readReply(Buffer.from('{"content":[]}'), asked).kind).toBe('not_an_answer')
  expect(readReply(Buffer.from('{"input_tokens":"3"}'), asked).kind).toBe('not_an_answer')
})

test('an error, by its type or by what it has', () => {
  expect(readReply(Buffer.from('{"error":{"message":"busy"}}'), VIEW)).toMatchObject({
    kind: 'error',
    error: { message: 'busy' },
  })
  expect(readReply(Buffer.from('{"type":"error","message":"busy"}'), VIEW)).toMatchObject({
    kind: 'error',
    error: { message: 'busy' },
  })
})
