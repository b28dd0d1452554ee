import { expect, test } from 'bun:test'
import { cutText } from '../../../src/dialects/cut-text.ts'

test('pieces of a long text are the text again, and no character is cut', () => {
  const text = `${'x'.repeat(65_535)}😀${'y'.repeat(70_000)}`
  const pieces = cutText(text)
  expect(pieces.join('')).toBe(text)
  expect(pieces.length).toBe(3)
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
})

test('of a short one there is one, of none none', () => {
  expect([cutText('a'), cutText('')]).toEqual([['a'], []])
})
