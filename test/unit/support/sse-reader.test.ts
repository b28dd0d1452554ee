import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SseReader } from '../../support/sse-reader.ts'

function read(...pieces: (string | Uint8Array)[]): SseReader {
  const reader = new SseReader()
  for (const piece of pieces) reader.push(typeof piece === 'string' ? Buffer.from(piece) : piece, 0)
  return reader
}
const data = (reader: SseReader): string[] => reader.events.map((event) => event.data)

describe('SseReader', () => {
  test('takes each of the three line ends', () => {
    expect(data(read('data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\n'))).toEqual(['a', 'b', 'c', 'd'])
  })

  test('does not take a CRLF that is cut in two for two line ends', () => {
    expect(data(read('data: a\r', '\ndata: b\r', '\n\r', '\n'))).toEqual(['a\nb'])
  })

  test('never dispatches an event without its blank line', () => {
    expect(data(read('data: a\n\ndata: b\n'))).toEqual(['a'])
  })

  test('joins data lines, drops one space, keeps the rest', () => {
    expect(data(read('data:a\ndata:  b\ndata\n\n'))).toEqual(['a\n b\n'])
  })

  test('an event without data is not dispatched, and its type is forgotten', () => {
    expect(read('event: x\n\ndata: a\n\n').events).toMatchObject([{ type: 'message', data: 'a' }])
  })

  test('knows types, ids, comments, and passes over other fields', () => {
    const reader = read(': hello\nevent: error\nid: 7\nretry: 1\nodd: 1\ndata: a\n\ndata: b\nid: x\0\n\n')
    expect(reader.comments).toEqual([' hello'])
    expect(reader.events).toMatchObject([
      { type: 'error', data: 'a', lastEventId: '7' },
      { type: 'message', data: 'b', lastEventId: '7' },
    ])
  })

  test('drops one leading byte order mark', () => {
    expect(data(read('\uFEFFdata: a\n\n'))).toEqual(['a'])
  })

  test('any split of the bytes gives the same events', () => {
    const bytes = Buffer.from('\uFEFFdata: é€😀\r\nevent: x\r\n\r\n: c\rdata: 2\n\ndata: cut')
    const whole = read(bytes)
    expect(data(whole)).toEqual(['é€😀', '2'])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const bounds = [0, ...cuts.sort((one, other) => one - other), bytes.length]
        const pieces = bounds.slice(1).map((bound, at) => bytes.subarray(bounds[at], bound))
        expect(read(...pieces).events).toEqual(whole.events)
      }),
      { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) },
    )
  })
})
