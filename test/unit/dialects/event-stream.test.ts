import { expect, test } from 'bun:test'
import type { StreamEvent } from '../../../src/dialects/dialect.ts'
import { EventStream, isDoneOrEmpty, WITHHELD } from '../../../src/dialects/event-stream.ts'
import { JsonReader } from '../../../src/lib/index.ts'

/** Passes on the data of numbers, with the name before it; `end` ends it. */
class Numbers extends EventStream {
  finished = false
  closed = false

  protected data(name: string | null, data: Uint8Array): StreamEvent {
    if (name === 'bug') throw new TypeError('bug')
    if (name === 'end') this.over = true
    const reader = new JsonReader(data)
    try {
      if (reader.peek() === 'object') return this.noObject()
      reader.skip()
    } catch (error) {
      return this.unreadable(error)
    }
    return { kind: 'content', bytes: Buffer.from(`${name}=${Buffer.from(data)}`) }
  }
}

const textsOf = (events: readonly StreamEvent[]): string[] => events.map(({ bytes }) => Buffer.from(bytes).toString())

test('each event once it is whole, its comments before it, the last one without its blank line; nothing is to supply', () => {
  const stream = new Numbers(100)
  expect(textsOf(stream.push(Buffer.from('event: one\ndata: 1\n\n: wait\ndata: 2\n\ndata:')))).toEqual([
    'one=1',
    ': wait\n\n',
    'null=2',
  ])
  expect(stream.push(Buffer.from(' 3\n\nid: 7\n\n')).at(-1)).toBe(WITHHELD)
  expect(stream.push(Buffer.from('data: 4\n'))).toEqual([])
  expect(textsOf(stream.end())).toEqual(['null=4'])
  expect(stream.closing()).toEqual(new Uint8Array(0))
})

test('nothing comes out behind the end, not even what came with it', () => {
  const stream = new Numbers(100)
  expect(textsOf(stream.push(Buffer.from('event: end\ndata: 1\n\ndata: 2\n\n')))).toEqual(['end=1'])
  expect(stream.push(Buffer.from('data: 3\n\n'))).toEqual([])
  expect(stream.end()).toEqual([])
})

test.each([
  ['{}', 'an event of the stream is no JSON object'],
  ['"1', 'an event of the stream is not JSON: '],
])('%s fails the stream: nothing follows', (data, message) => {
  const stream = new Numbers(100)
  const events = stream.push(Buffer.from(`data: ${data}\n\ndata: 2\n\n`))
  expect(events).toMatchObject([{ kind: 'error', error: { status: 200, message: expect.stringContaining(message) } }])
  expect(stream.push(Buffer.from('data: 3\n\n'))).toEqual([])
})

test('an event beyond the bound breaks the stream; a bug stays one', () => {
  expect(() => new Numbers(4).push(Buffer.from('data: 12345'))).toThrow(
    expect.objectContaining({ code: 'stream_broken' }),
  )
  expect(() => new Numbers(100).push(Buffer.from('event: bug\ndata: 1\n\n'))).toThrow(TypeError)
})

test.each([
  ['', true],
  [' \n', true],
  [' [DONE] ', true],
  ['[DONE]{}', false],
  ['{}', false],
  [' '.repeat(17), false],
])('%j is empty or `[DONE]`: %j', (data, expected) => {
  expect(isDoneOrEmpty(Buffer.from(data))).toBe(expected)
})
