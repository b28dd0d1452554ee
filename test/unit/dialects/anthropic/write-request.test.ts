import { expect, test } from 'bun:test'
import { readRequest } from '../../../../src/dialects/anthropic/read-request.ts'
import { writeRequest } from '../../../../src/dialects/anthropic/write-request.ts'

function write(body: string, outputLimit: number | null = null): string {
  const facts = readRequest('messages', Buffer.from(body))
  return Buffer.from(writeRequest(facts, { model: 'their "m"', askUsage: facts.stream, outputLimit })).toString()
}

test('model and limit are spliced, every other byte stays; a stream is not asked for its usage', () => {
  const body = '{ "x":1.0,"model":"a" ,"max_tokens": 16,"stream":true,"messages":[{"content":"é\\u00e9"}] }\n'
  expect(write(body)).toBe(body.replace('"a"', '"their \\"m\\""'))
  expect(write(body, 7)).toBe(body.replace('"a"', '"their \\"m\\""').replace('16', '7'))
})

test('a model that fallbacks name alone is put in; what is for the gateway goes', () => {
  expect(write('{"fallbacks":[{"model":"b"}],"max_tokens":1,"messages":[{}],"provider":{"only":["p"]}}')).toBe(
    '{"model":"their \\"m\\"","max_tokens":1,"messages":[{}]}',
  )
})
