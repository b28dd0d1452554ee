import { describe, expect, test } from 'bun:test'
import { writeRequestHead } from '../../../src/agents/request-head.ts'

const request = {
  method: 'POST',
  target: '/v1/x',
  headers: [],
  body: null,
  limits: { connectMs: 1, idleMs: 1 },
  resend: 'stale',
} as const

describe('writeRequestHead', () => {
  test('host and length are the agent’s, the rest is as given', () => {
    const headers = [
      ['accept', '*/*'],
      ['x-latin1', 'h\xe9'],
    ] as const
    expect(writeRequestHead('h:81', { ...request, headers, body: Buffer.from('12') })).toBe(
      'POST /v1/x HTTP/1.1\r\nhost: h:81\r\naccept: */*\r\nx-latin1: h\xe9\r\ncontent-length: 2\r\n\r\n',
    )
  })

  test('a POST without a body says so, a GET says nothing', () => {
    expect(writeRequestHead('h', request)).toBe('POST /v1/x HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n')
    expect(writeRequestHead('h', { ...request, method: 'GET' })).toBe('GET /v1/x HTTP/1.1\r\nhost: h\r\n\r\n')
  })

  test.each(['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', 'snow \u2603', 'a\x7f'])('the value %j is a bug', (value) => {
    expect(() => writeRequestHead('h', { ...request, headers: [['x', value]] })).toThrow('line break')
  })

  test.each(['Host', 'host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'a b', 'a:b', '', 'a\r\n'])(
    'the name %j is a bug',
    (name) => {
      expect(() => writeRequestHead('h', { ...request, headers: [[name, 'v']] })).toThrow('may not be sent')
    },
  )

  test.each(['', 'v1', '/a b', '/a\r\nb', '/\u2603'])('the target %j is a bug', (target) => {
    expect(() => writeRequestHead('h', { ...request, target })).toThrow('without blanks')
  })

  test('the value of a header is not in the message: it may be a secret', () => {
    expect(() => writeRequestHead('h', { ...request, headers: [['authorization', 'Bearer sec\nret']] })).toThrow(
      expect.not.stringContaining('sec'),
    )
  })
})
