import { expect, test } from 'bun:test'
import { decodedAscii, type JsonStringFacts, jsonString } from '../../../src/lib/json-string.ts'

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

test('the inside of a string is decoded as JSON.parse does, as far as the room goes', () => {
  const target = new Uint8Array(16)
  const decoded = (inside: string): string | null => {
    const bytes = Buffer.from(`"${inside}"`)
    const size = decodedAscii(bytes, 1, bytes.length - 1, target)
    return size < 0 ? null : Buffer.from(target.subarray(0, size)).toString()
  }
  for (const inside of ['', 'role', '\\u0072ole', 'r\\u006F\\u006ce', '\\b\\f\\n\\r\\t\\"\\\\\\/', 'é😀', '\\u0000'])
    expect(decoded(inside)).toBe(JSON.parse(`"${inside}"`))
  expect(decoded('0123456789abcdef')).toBe('0123456789abcdef')
  for (const inside of ['0123456789abcdefg', '0123456789abcdef\\u0067', '\\u00e9', '\\ud83d\\ude00'])
    expect(decoded(inside)).toBeNull()
})
