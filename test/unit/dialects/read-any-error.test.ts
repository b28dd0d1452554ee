import { expect, test } from 'bun:test'
import { readAnyError } from '../../../src/dialects/read-any-error.ts'

const messageOf = (body: string): string => readAnyError(500, Buffer.from(body)).message

test('nothing of a page can make it slow', () => {
  for (const piece of ['<', '<title', '<script ', '<!--', ' ', 'bearer ', 'sk-', '"detail":']) {
    expect(messageOf(piece.repeat(200_000)).length).toBeLessThanOrEqual(2000)
    expect(messageOf(`<${piece.repeat(200_000)}`).length).toBeLessThanOrEqual(2000)
  }
})

test('a key at the cut does not leave its half', () => {
  const key = `sk-${'abcdef0123'.repeat(20)}`
  expect(messageOf(JSON.stringify({ error: { message: `${'x '.repeat(990)}${key}` } }))).not.toContain('sk-abc')
})

test('any bytes', () => {
  expect(readAnyError(503, Buffer.from([0xff, 0xfe, 0x00])).status).toBe(503)
  for (const body of [
    '{"error":{}}',
    '{"error":[]}',
    '{"error":7}',
    '[]',
    '[[]]',
    '{"detail":{}}',
    '{"detail":[1]}',
    '"x"',
    '{"error":null}',
  ])
    expect(messageOf(body)).not.toBe('')
})

test.each([
  ['{"error":"text"}', 'text'],
  ['[{"error":{"message":"text"}}]', 'text'],
  ['{"error":{"message":""},"message":"around"}', 'around'],
  ['{"error":{"message":""},"detail":"around"}', 'around'],
  ['{"error":{"type":"overloaded"}}', 'overloaded'],
  ['{"detail":"text"}', 'text'],
  ['{"detail":{"message":"text"}}', 'text'],
  ['{"detail":{"msg":"text"}}', 'text'],
  [
    '{"detail":[{"loc":["body","messages",0,"role"],"msg":"missing"},{"msg":"bad"},7]}',
    'messages.0.role: missing; bad',
  ],
  ['{"detail":[{"loc":"body","msg":"bad"},{"loc":["body"],"msg":"worse"},{"loc":["n"]}]}', 'bad; worse'],
  ['null', 'status 500 without a message'],
  [' \n text \n', 'text'],
  ['use <model> here', 'use <model> here'],
  ['<html><title> </title><p>Bad  gateway</p></html>', 'Bad gateway'],
])('%s says %s', (body, message) => {
  expect(messageOf(body)).toBe(message)
})

test('a message may be of 2000 characters, and is cut to as many', () => {
  expect(messageOf(JSON.stringify({ message: 'a'.repeat(2000) }))).toBe('a'.repeat(2000))
  expect(messageOf(JSON.stringify({ message: 'a'.repeat(2001) }))).toBe(`${'a'.repeat(1999)}…`)
})

test('type, code and param, where they say something', () => {
  const read = (error: object) => readAnyError(500, Buffer.from(JSON.stringify({ error })))
  expect(read({ type: 't', code: 7, param: 'n' })).toMatchObject({ type: 't', code: '7', param: 'n' })
  expect(read({ type: '', code: null, param: {} })).toMatchObject({ type: null, code: null, param: null })
})

test('the status of the answer counts; only under a 200 the one that the body names', () => {
  const body = Buffer.from('{"error":{"message":"m","code":404}}')
  expect(readAnyError(503, body).status).toBe(503)
  expect(readAnyError(200, body).status).toBe(404)
  const named = (code: unknown) => readAnyError(200, Buffer.from(JSON.stringify({ error: { code } }))).status
  expect([400, 599].map(named)).toEqual([400, 599])
  expect([7, 399, 600, 404.5, '404'].map(named)).toEqual([200, 200, 200, 200, 200])
  expect(readAnyError(200, Buffer.from('{"error":{"code":"no","status":429}}')).status).toBe(429)
})
