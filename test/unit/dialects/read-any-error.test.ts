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

test('the status of the answer counts; only under a 200 the one that the body names', () => {
  const body = Buffer.from('{"error":{"message":"m","code":404}}')
  expect(readAnyError(503, body).status).toBe(503)
  expect(readAnyError(200, body).status).toBe(404)
  expect(readAnyError(200, Buffer.from('{"error":{"message":"m","code":7}}')).status).toBe(200)
})
