import { describe, expect, test } from 'bun:test'
import type { ReplyHead } from '../../../src/agents/index.ts'
import { ReplyParser } from '../../../src/agents/reply-parser.ts'

/** Reads packets; what was found, and the progress after the last one. */
function read(packets: readonly string[]) {
  const parser = new ReplyParser()
  const heads: ReplyHead[] = []
  const pieces: Buffer[] = []
  const sink = { head: (head: ReplyHead) => void heads.push(head), body: (bytes: Buffer) => void pieces.push(bytes) }
  let progress = ''
  for (const packet of packets) progress = parser.push(Buffer.from(packet, 'latin1'), sink)
  return { parser, progress, heads, body: Buffer.concat(pieces).toString('latin1'), pieces }
}

const PLAIN = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes'

describe('ReplyParser', () => {
  test('head and body in one packet', () => {
    const { progress, heads, body, parser } = read([PLAIN])
    expect({ progress, body, status: heads[0]?.status }).toEqual({ progress: 'complete', body: 'yes', status: 200 })
    expect(parser.mayKeep).toBe(true)
  })

  test('a body is a slice of its packet, not a copy', () => {
    const parser = new ReplyParser()
    const packet = Buffer.from(`${PLAIN}`)
    const slices: Buffer[] = []
    parser.push(packet, { head() {}, body: (bytes) => void slices.push(bytes) })
    expect(slices[0]?.buffer).toBe(packet.buffer)
    const whole = Buffer.from('all')
    const second = new ReplyParser()
    second.push(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n'), { head() {}, body() {} })
    second.push(whole, { head() {}, body: (bytes) => void slices.push(bytes) })
    expect(slices[1]).toBe(whole)
  })

  test.each([
    ['behind a length', `${PLAIN}x`],
    ['behind the last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nx'],
    ['behind a 204', 'HTTP/1.1 204 None\r\n\r\nx'],
  ])('bytes %s end the connection, in the same packet or in the next', (_name, text) => {
    for (const packets of [[text], [text.slice(0, -1), text.slice(-1)]]) {
      const { progress, parser } = read(packets)
      expect(progress).toBe('complete')
      expect(parser).toMatchObject({ hasExtra: true, mayKeep: false })
    }
  })

  test('a body of more than a gigabyte is refused: at once when its length says so, else when it comes', () => {
    const gigabyte = 1024 ** 3
    const tooLong = `a body of more than ${gigabyte} bytes`
    const said = read([`HTTP/1.1 200 OK\r\ncontent-length: ${gigabyte + 1}\r\n\r\n`])
    expect({ progress: said.progress, error: said.parser.error, heads: said.heads }).toEqual({
      progress: 'invalid',
      error: tooLong,
      heads: [],
    })
    expect(read([`HTTP/1.1 200 OK\r\ncontent-length: ${gigabyte}\r\n\r\n`]).progress).toBe('more')
    const part = Buffer.alloc(16 * 1024 ** 2)
    for (const head of ['', `transfer-encoding: chunked\r\n\r\n${(gigabyte + 1).toString(16)}`]) {
      const { parser } = read([`HTTP/1.1 200 OK\r\n${head}\r\n`])
      let givenBytes = 0
      const sink = { head() {}, body: (bytes: Buffer) => (givenBytes += bytes.length) }
      for (let n = 0; n < 64; n++) expect(parser.push(part, sink)).toBe('more')
      expect(parser.push(Buffer.from('x'), sink)).toBe('invalid')
      expect({ error: parser.error, givenBytes }).toEqual({ error: tooLong, givenBytes: gigabyte })
    }
  })

  test('wherever it is split it is the same, and nothing empty is given', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${PLAIN}`
    for (let at = 1; at < text.length; at++) {
      const { progress, heads, body, pieces, parser } = read([text.slice(0, at), text.slice(at)])
      expect({ progress, body, heads: heads.map(({ status }) => status) }).toEqual({
        progress: 'complete',
        body: 'yes',
        heads: [200],
      })
      expect(pieces.every((piece) => piece.length > 0)).toBe(true)
      expect(parser.mayKeep).toBe(true)
    }
  })

  test('an empty line is no head, first of all or behind an interim one', () => {
    expect(read(['\r\n\r\n'])).toMatchObject({ progress: 'invalid', heads: [] })
    expect(read(['HTTP/1.1 100 Continue\r\n\r\n\r\n\r\n'])).toMatchObject({ progress: 'invalid', heads: [] })
  })

  test('how long its connection may rest', () => {
    const head = 'HTTP/1.1 204 None\r\n'
    expect(read([`${head}keep-alive: timeout=5\r\n\r\n`]).parser.keepAliveMs).toBe(5000)
    expect(read([`${head}\r\n`]).parser.keepAliveMs).toBeNull()
    expect(new ReplyParser().keepAliveMs).toBeNull()
  })

  test('an interim answer that wants the connection closed is believed', () => {
    const { parser, progress } = read([`HTTP/1.1 103 Early\r\nconnection: close\r\n\r\n${PLAIN}`])
    expect(progress).toBe('complete')
    expect(parser.mayKeep).toBe(false)
  })

  test('the end of the connection completes only a body that has no other end', () => {
    const open = read(['HTTP/1.1 200 OK\r\n\r\n', 'ye', 's'])
    expect([open.progress, open.parser.finish(), open.body]).toEqual(['more', 'complete', 'yes'])
    for (const text of ['', 'HTTP/1.1 200', PLAIN.slice(0, -1), 'HTTP/1.1 100 Continue\r\n\r\n']) {
      const { parser } = read([text])
      expect(parser.finish()).toBe('invalid')
      expect(parser.error).toContain('ended before')
    }
    expect(read([PLAIN]).parser.finish()).toBe('complete')
  })

  test('a head of 64 KB is taken, one byte more refused, interim heads counted in', () => {
    const head = (size: number) => `HTTP/1.1 204 OK\r\nx: ${'v'.repeat(size - 24)}\r\n\r\n`
    expect(head(65_536).length).toBe(65_536)
    expect(read([head(65_536)]).progress).toBe('complete')
    expect(read([head(65_537)]).progress).toBe('invalid')
    expect(read([head(65_537).slice(0, 65_537 - 4), '\r\n\r\n']).progress).toBe('invalid')
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
    expect(read([interim + head(65_536 - interim.length)]).progress).toBe('complete')
    expect(read([interim + head(65_537 - interim.length)]).progress).toBe('invalid')
    expect(read([interim.repeat(3000)]).progress).toBe('invalid')
  })

  test('a head whose lines end with LF alone is refused at once, not waited for', () => {
    expect(read(['HTTP/1.1 200 OK\ncontent-length: 0\n\n'])).toMatchObject({ progress: 'invalid' })
    expect(read(['HTTP/1.1 200 OK\r', '\ncontent-length: 0\n'])).toMatchObject({ progress: 'invalid' })
    expect(read(['\n'])).toMatchObject({ progress: 'invalid' })
    expect(read(['HTTP/1.1 200 OK\r', '\n', 'a: b\r', '\n\r', '\n'])).toMatchObject({ progress: 'more' })
  })

  test.each([1, 2])('stopped by its sink at report %i, it gives nothing more', (count) => {
    const parser = new ReplyParser()
    const reports: string[] = []
    const note = (what: string) => {
      reports.push(what)
      if (reports.length === count) parser.stop()
    }
    const packet = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n'
    const sink = { head: () => note('head'), body: () => note('body') }
    expect(parser.push(Buffer.from(packet), sink)).toBe('stopped')
    expect(parser.push(Buffer.from('more'), sink)).toBe('stopped')
    expect(reports).toEqual(['head', 'body'].slice(0, count))
    expect(parser.mayKeep).toBe(false)
  })

  test.each([
    ['with a length', PLAIN],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n'],
    ['up to its connection’s end', 'HTTP/1.1 200 OK\r\n\r\nyes'],
  ])('stopped at its last byte, %s: it is not whole, and stays so', (_name, packet) => {
    const parser = new ReplyParser()
    expect(parser.push(Buffer.from(packet), { head() {}, body: () => parser.stop() })).toBe('stopped')
    expect([parser.finish(), parser.mayKeep]).toEqual(['stopped', false])
  })

  test('stopped when it is whole: it is whole all the same', () => {
    const { parser } = read([PLAIN])
    parser.stop()
    expect([parser.finish(), parser.mayKeep]).toEqual(['complete', true])
  })
})
