import { expect, test } from 'bun:test'
import { openBytesStream } from '../../../../src/dialects/openai/bytes-stream.ts'

test('bytes go on as they are, in memory of their own; they are whole at their end', () => {
  const stream = openBytesStream()
  const piece = Uint8Array.of(0x7b, 0, 255)
  const [event] = stream.push(piece)
  piece.fill(0)
  expect(event).toEqual({ kind: 'content', bytes: Buffer.of(0x7b, 0, 255) })
  expect(stream.finished).toBe(false)
  expect(stream.end()).toEqual([])
  expect(stream).toMatchObject({ finished: true, closed: false, usage: null, textBytes: 0 })
  expect(stream.closing().length).toBe(0)
})

test('nothing is no answer', () => {
  const stream = openBytesStream()
  expect(stream.push(new Uint8Array(0))).toEqual([])
  stream.end()
  expect(stream.finished).toBe(false)
})
