import { describe, expect, test } from 'bun:test'
import { OutgoingBytes } from '../../../src/agents/outgoing-bytes.ts'

/** Takes what `room` allows, call by call: a number of bytes, or -1 for a closed socket. */
function socket(room: readonly number[]) {
  let call = 0
  const written: number[] = []
  return {
    written,
    get calls() {
      return call
    },
    write(bytes: Uint8Array, offset: number, size: number): number {
      const taken = Math.min(size, room[call++] ?? Number.POSITIVE_INFINITY)
      if (taken > 0) for (const byte of bytes.subarray(offset, offset + taken)) written.push(byte)
      return taken
    },
  }
}

const HEAD = 'POST / HTTP/1.1\r\n\r\n'

describe('OutgoingBytes', () => {
  test('a small request leaves with one write', () => {
    const to = socket([])
    expect(new OutgoingBytes(HEAD, Buffer.from('body')).start(to)).toBe('all')
    expect(to.calls).toBe(1)
    expect(Buffer.from(to.written).toString()).toBe(`${HEAD}body`)
  })

  test.each([10, 70_000])('a body of %i bytes that is taken piece by piece comes whole', (size) => {
    const body = Buffer.alloc(size, 'abcdefg')
    const to = socket([0, 5, 0, 20, 1, 30_000])
    const outgoing = new OutgoingBytes(HEAD, body)
    let taken = outgoing.start(to)
    expect(outgoing.hasBegun).toBe(false)
    new OutgoingBytes('GET /other HTTP/1.1\r\n\r\n', null).start(socket([])) // shares nothing with it
    while (taken === 'partly') taken = outgoing.continue(to)
    expect(taken).toBe('all')
    expect(outgoing.hasBegun).toBe(true)
    expect(Buffer.from(to.written).equals(Buffer.concat([Buffer.from(HEAD), body]))).toBe(true)
  })

  test.each([10, 70_000])('one byte that was taken is a beginning, with %i bytes', (size) => {
    const outgoing = new OutgoingBytes(HEAD, Buffer.alloc(size))
    expect(outgoing.start(socket([1]))).toBe('partly')
    expect(outgoing.hasBegun).toBe(true)
  })

  test('a head of more than 64 KB goes out alone where there is no body', () => {
    const head = `GET / HTTP/1.1\r\nx: ${'v'.repeat(70_000)}\r\n\r\n`
    const to = socket([])
    expect(new OutgoingBytes(head, null).start(to)).toBe('all')
    expect(Buffer.from(to.written).toString()).toBe(head)
  })

  test.each([10, 70_000])('a closed socket is told apart, with %i bytes', (size) => {
    const outgoing = new OutgoingBytes(HEAD, Buffer.alloc(size))
    expect(outgoing.start(socket([-1]))).toBe('closed')
    expect(outgoing.hasBegun).toBe(false)
    expect(outgoing.start(socket([3]))).toBe('partly')
    expect(outgoing.continue(socket([-1]))).toBe('closed')
    expect(outgoing.hasBegun).toBe(true)
  })
})
