import { describe, expect, test } from 'bun:test'
import { parseReplyHead } from '../../../src/agents/reply-head.ts'

const parse = (lines: readonly string[]) => parseReplyHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'))

describe('parseReplyHead', () => {
  test('names in small letters, values without blanks around them, in their order', () => {
    const parsed = parse(['X-B:  two words\t ', 'x-a:', 'X-B: \xa0\xe9 '])
    expect(parsed).toMatchObject({
      kind: 'final',
      head: {
        status: 200,
        headers: [
          ['x-b', 'two words'],
          ['x-a', ''],
          ['x-b', '\xa0\xe9'],
        ],
      },
    })
  })

  test.each([
    [[], 'until_close', false],
    [['content-length: 0'], 'length', true],
    [['Transfer-Encoding: CHUNKED'], 'chunked', true],
    [['content-length: 3', 'transfer-encoding: chunked'], 'chunked', false],
    [['content-length: 3', 'connection: close'], 'length', false],
    [['content-length: 3', 'connection: x, CLOSE '], 'length', false],
    [['content-length: 3', 'connection: keep-alive', 'connection: close'], 'length', false],
    [['content-length: 3', 'connection: closed'], 'length', true],
    [['content-length: 3', 'connection: keep-alive'], 'length', true],
    [['content-length: 3', 'connection: Keep-Alive, x'], 'length', true],
  ] as const)('%j: framed by %s, kept %p', (lines, kind, keep) => {
    expect(parse(lines)).toMatchObject({ framing: { kind }, keep })
  })

  test.each([
    'HTTP/1.1 204 No Content\r\ncontent-length: 3',
    'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked',
  ])('%j has no body, and does not stand against the connection', (text) => {
    expect(parseReplyHead(text)).toMatchObject({ framing: { kind: 'none' }, keep: true })
  })

  test('HTTP/1.0 is never kept', () => {
    const parsed = parseReplyHead('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0')
    expect(parsed).toMatchObject({ keep: false })
  })

  test.each([
    ['timeout=5, max=100', 5000],
    ['max=100,timeout=7', 7000],
    ['timeout = "8"', 8000],
    ['max=100', null],
    ['xtimeout=5', null],
    ['timeout=x', null],
  ])('keep-alive: %s is %p ms', (value, keepAliveMs) => {
    expect(parse([`keep-alive: ${value}`])).toMatchObject({ keepAliveMs })
  })

  test('its own field alone tells how long a connection may rest', () => {
    expect(parse(['x-limits: timeout=5'])).toMatchObject({ keepAliveMs: null })
  })

  test('1xx is an interim head, 101 a refusal', () => {
    expect(parseReplyHead('HTTP/1.1 199 Something')).toMatchObject({ kind: 'interim' })
    expect(parseReplyHead('HTTP/1.1 999 Something')).toMatchObject({ kind: 'final', head: { status: 999 } })
    expect(parseReplyHead('HTTP/1.1 100 Continue')).toMatchObject({ kind: 'interim' })
    expect(parseReplyHead('HTTP/1.1 101 Switching Protocols')).toMatchObject({ kind: 'invalid' })
  })

  test.each([
    '',
    'HTTP/1.1',
    'HTTP/1.1 ',
    'HTTP/1.1 20',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1\t200 OK',
    'HTTP/1.2 200 OK',
    'HTTP/2 200',
    'http/1.1 200 OK',
    'HTTP/1.1 200 OK\0',
    ' HTTP/1.1 200 OK',
  ])('the status line %j is refused', (text) => {
    expect(parseReplyHead(text)).toMatchObject({ kind: 'invalid' })
  })

  test.each([
    'no colon',
    ': no name',
    'blank : x',
    ' folded',
    '\tfolded',
    'a: b\nc: d',
    'a: b\rc: d',
    'a\r: b',
    'a: b\r',
    'a: \0',
    'a: \x01',
    'a: \x7f',
    'a\xe9: b',
    'a(b): c',
    'content-length: ',
    'content-length: +3',
    'content-length: -3',
    'content-length: 3, 3',
    'content-length: 0x3',
    'content-length: 1234567890123456',
    'content-length: 3\r\nContent-Length: 3',
    'content-length: 3\r\ncontent-length: 4',
    'transfer-encoding: gzip, chunked',
    'transfer-encoding: identity',
    'transfer-encoding: chunked, chunked',
    'transfer-encoding: chunked\r\ntransfer-encoding: chunked',
    '',
  ])('the field %j is refused', (line) => {
    expect(parse([line])).toMatchObject({ kind: 'invalid' })
  })

  test('256 fields are taken, 257 refused', () => {
    const fields = Array.from({ length: 256 }, (_, n) => `x-${n}: v`)
    expect(parse(fields)).toMatchObject({ kind: 'final' })
    expect(parse([...fields, 'y: v'])).toMatchObject({ kind: 'invalid' })
  })
})
