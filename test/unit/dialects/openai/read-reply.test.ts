import { expect, test } from 'bun:test'
import { readReply } from '../../../../src/dialects/openai/read-reply.ts'

test('the model name is put in with what JSON needs escaped, the provider’s body stays as it was', () => {
  const body = Buffer.from('{"model":null,"choices":[{"message":{"content":"a"}}]}')
  const reply = readReply(body, { operation: 'chat.completions', model: 'a"\\\u0001é', showUsage: true })
  expect(reply.kind === 'answer' && JSON.parse(Buffer.from(reply.body).toString()).model).toBe('a"\\\u0001é')
  expect(body.toString()).toBe('{"model":null,"choices":[{"message":{"content":"a"}}]}')
})

test('a message about an answer that is none stays short and quotes nothing of it', () => {
  const reply = readReply(Buffer.from(`{"choices":[{"message":{"content":"${'CANARY '.repeat(9999)}`), {
    operation: 'chat.completions',
    model: 'm',
    showUsage: true,
  })
  expect(reply.kind).toBe('not_an_answer')
  expect(JSON.stringify(reply).length).toBeLessThan(200)
  expect(JSON.stringify(reply)).not.toContain('CANARY')
})
