import { describe, expect, test } from 'bun:test'
import { SseOverflow, SseSplitter } from '../../../src/lib/index.ts'

/** The events found, each with whether its data was seen at once. */
function split(pieces: readonly string[], finish = false): { events: string[]; data: (string | null)[] } {
  const splitter = new SseSplitter(1000)
  const events: string[] = []
  const data: (string | null)[] = []
  const take = () => {
    while (splitter.next()) {
      events.push(splitter.bytes.toString('utf8', splitter.start, splitter.end))
      data.push(splitter.dataStart < 0 ? null : splitter.bytes.toString('utf8', splitter.dataStart, splitter.dataEnd))
    }
  }
  for (const piece of pieces) {
    const bytes = Buffer.from(piece)
    splitter.push(bytes)
    take()
    bytes.fill(0)
  }
  if (finish) splitter.finish()
  take()
  return { events, data }
}

describe('events', () => {
  test('several in a chunk, one in several chunks', () => {
    expect(split(['data: a\n\ndata:b\n\nda', 'ta', ': c', '\n', '\n: d\n']).events).toEqual([
      'data: a\n\n',
      'data:b\n\n',
      'data: c\n\n',
    ])
  })

  test('the data of a usual event is seen at once, of others not', () => {
    expect(
      split([
        'data: a\n\ndata:b\n\ndata:  c\r\n\r\ndata: d\r\rdata: e\ndata: f\n\n: g\n\ndat: h\n\nevent: i\ndata: j\n\n',
      ]).data,
    ).toEqual(['a', 'b', ' c', 'd', null, null, null, null])
  })

  test('blank lines between events say nothing', () => {
    expect(split(['\n\r\n\rdata: a\n\n\n\n\r\ndata: b\n\n']).events).toEqual(['data: a\n\n', 'data: b\n\n'])
  })

  test('an event is given out at its blank line, even when a LF may follow', () => {
    expect(split(['data: a\r\n\r']).events).toEqual(['data: a\r\n\r'])
    expect(split(['data: a\r\n\r', '\ndata: b\r\n\r\n']).events).toEqual(['data: a\r\n\r', 'data: b\r\n\r\n'])
    expect(split(['data: a\r', '\r', 'data: b\r']).events).toEqual(['data: a\r\r'])
  })

  test('at the end what is left is an event', () => {
    for (const rest of ['data: b', 'data: b\n', 'data: b\r', 'data: b\r\n']) {
      expect(split(['data: a\n\n', rest], true).events).toEqual(['data: a\n\n', rest])
      expect(split(['data: a\n\n', rest], false).events).toEqual(['data: a\n\n'])
    }
    expect(split(['data: a\n\n\n'], true).events).toEqual(['data: a\n\n'])
    expect(split([], true).events).toEqual([])
  })
})

test('an event beyond the bound is refused, whole or not', () => {
  const event = `data: ${'a'.repeat(992)}\n\n`
  expect(split([event]).events).toEqual([event])
  expect(() => split([`a${event}`])).toThrow(SseOverflow)
  expect(() => split(['a'.repeat(500), 'b'.repeat(501)])).toThrow(SseOverflow)
  expect(() => split(['a\r'.repeat(501)])).toThrow(SseOverflow)
})

test('a large event in small chunks takes time in proportion', () => {
  const splitter = new SseSplitter(8_000_000)
  const chunk = Buffer.from('data: 0123456789abcdef0123456789abcdef\r')
  for (let i = 0; i < 100_000; i++) {
    splitter.push(chunk)
    expect(splitter.next()).toBe(false)
  }
  splitter.push(Buffer.from('\r'))
  expect(splitter.next()).toBe(true)
  expect(splitter.end - splitter.start).toBe(100_000 * chunk.length + 1)
})
