import { expect, test } from 'bun:test'
import { type JsonStringFacts, jsonString } from '../../../src/lib/json-string.ts'

function read(json: string): { end: number; facts: JsonStringFacts } {
  const bytes = Buffer.from(json)
  const facts: JsonStringFacts = { decodedBytes: 0, escaped: false, fault: null }
  return { end: jsonString(bytes, 0, bytes.length, facts), facts }
}

test('the bytes a string decodes to are counted without decoding it', () => {
  for (const value of [
    '',
    'a',
    'é😀\u0001"\\/',
    'a"'.repeat(300),
    `${'x'.repeat(400)}\n`.repeat(20),
    '日本'.repeat(5000),
  ]) {
    const json = JSON.stringify(value)
    expect(read(json)).toEqual({
      end: Buffer.byteLength(json),
      facts: { decodedBytes: Buffer.byteLength(value), escaped: json.includes('\\'), fault: null },
    })
  }
})

test('half a surrogate pair counts 2', () => {
  expect(read('"\\ud83d\\ude00"').facts.decodedBytes).toBe(4)
  expect(read('"\\ud83d"').facts.decodedBytes).toBe(2)
})

test('what follows the string is not looked at', () => {
  expect(read(`"a"${'\n'.repeat(500)}`)).toMatchObject({ end: 3, facts: { fault: null } })
})

test('a long string may lie anywhere in memory', () => {
  for (let shift = 0; shift < 8; shift++) {
    const memory = Buffer.from(`${' '.repeat(shift)}"${'a'.repeat(1000)}\\n${'b'.repeat(1001)}"`)
    const bytes = new Uint8Array(memory.buffer, memory.byteOffset + shift, memory.length - shift)
    const facts: JsonStringFacts = { decodedBytes: 0, escaped: false, fault: null }
    expect(jsonString(bytes, 0, bytes.length, facts)).toBe(bytes.length)
    expect(facts.decodedBytes).toBe(2002)
  }
})
