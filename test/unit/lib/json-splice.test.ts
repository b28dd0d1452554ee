import { expect, test } from 'bun:test'
import { Bug, jsonSplice } from '../../../src/lib/index.ts'

const bytes = Buffer.from('0123456789')
const splice = (start: number, end: number, text: string) => ({ start, end, bytes: Buffer.from(text) })

test('replaces and inserts, in any order, and leaves its input alone', () => {
  const result = jsonSplice(bytes, [splice(8, 10, 'END'), splice(0, 0, 'a'), splice(0, 0, 'b'), splice(2, 4, '')])
  expect(Buffer.from(result).toString()).toBe('ab014567END')
  expect(bytes.toString()).toBe('0123456789')
  expect(Buffer.from(jsonSplice(new Uint8Array(bytes), [])).toString()).toBe('0123456789')
})

test('what is replaced by itself is not copied', () => {
  expect(jsonSplice(bytes, [splice(2, 4, '23')])).toBe(bytes)
  expect(Buffer.from(jsonSplice(bytes, [splice(2, 4, '24')])).toString()).toBe('0124456789')
  expect(Buffer.from(jsonSplice(bytes, [splice(2, 4, '2')])).toString()).toBe('012456789')
})

test('what overlaps or lies outside is a bug', () => {
  expect(() => jsonSplice(bytes, [splice(1, 4, 'x'), splice(3, 5, 'y')])).toThrow(Bug)
  expect(() => jsonSplice(bytes, [splice(9, 11, 'x')])).toThrow(Bug)
})
