import { describe, expect, test } from 'bun:test'
import { plain, rawServer, type Script } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt } from './probe.ts'

/** What whoever reads it wrongly would take for the answer to the next request. */
const SMUGGLED = plain('smuggled')
const chunked = (...lines: readonly string[]): string =>
  ['HTTP/1.1 200 OK', ...lines, '', `3\r\nyes\r\n0\r\n\r\n${SMUGGLED}`].join('\r\n')
const sized = (...lines: readonly string[]): string => ['HTTP/1.1 200 OK', ...lines, '', `yes${SMUGGLED}`].join('\r\n')
const framed = (body: string): string => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}${SMUGGLED}`

/** Answers whose end two readers may see at different places. */
const ATTEMPTS: readonly (readonly [name: string, answer: string])[] = [
  ['two lengths that differ', sized('content-length: 3', 'content-length: 60')],
  ['two lengths alike', sized('content-length: 3', 'content-length: 3')],
  ['a list of lengths', sized('content-length: 3, 3')],
  ['a length with a sign', sized('content-length: +3')],
  ['a negative length', sized('content-length: -3')],
  ['a hexadecimal length', sized('content-length: 0x3')],
  ['a length with a point', sized('content-length: 3.0')],
  ['a length in digits of another script', sized('content-length: \xb3')],
  ['a length with a blank inside', sized('content-length: 3 0')],
  ['an empty length', sized('content-length:')],
  ['a length beyond all numbers', sized('content-length: 99999999999999999999')],
  ['a length whose name ends in a blank', sized('content-length : 3')],
  ['a length whose name begins with a blank', sized('x: y', ' content-length: 3')],
  ['a length behind a tab', sized('x: y', '\tcontent-length: 3')],
  ['length and coding', chunked('content-length: 3', 'transfer-encoding: chunked')],
  ['coding and length', chunked('transfer-encoding: chunked', 'content-length: 60')],
  ['two codings', chunked('transfer-encoding: chunked', 'transfer-encoding: chunked')],
  ['two codings that differ', chunked('transfer-encoding: identity', 'transfer-encoding: chunked')],
  ['a coding before chunked', chunked('transfer-encoding: gzip, chunked')],
  ['a coding behind chunked', chunked('transfer-encoding: chunked, identity')],
  ['chunked with a parameter', chunked('transfer-encoding: chunked;q=1')],
  ['chunked in quotes', chunked('transfer-encoding: "chunked"')],
  ['chunked with a vertical tab', chunked('transfer-encoding: \x0bchunked')],
  ['chunked with a letter too many', chunked('transfer-encoding: xchunked')],
  ['a coding whose name ends in a blank', chunked('transfer-encoding : chunked')],
  ['a coding on a folded line', chunked('transfer-encoding:', ' chunked')],
  ['a field without a name', sized(': x', 'content-length: 3')],
  ['a field without a colon', sized('content-length 3')],
  ['a zero byte in a field', sized('x: a\0b', 'content-length: 3')],
  ['a bare line feed', `HTTP/1.1 200 OK\ncontent-length: 3\n\nyes${SMUGGLED}`],
  ['a bare carriage return in a field', sized('x: a\rcontent-length: 3')],
  ['a bare line feed in a field', sized('x: a\ncontent-length: 3')],
  ['bytes behind the answer', sized('content-length: 3')],
  ['an empty line behind the answer', `${plain('yes')}\r\n`],
  ['a body of an answer that has none', `HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\nyes${SMUGGLED}`],
  ['a body of 304', `HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\nyes${SMUGGLED}`],
  ['an upgrade that nobody asked for', `HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n${SMUGGLED}`],
  ['HTTP/1.0 with a coding', `HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n${SMUGGLED}`],
  ['HTTP/0.9', `yes${SMUGGLED}`],
  ['HTTP/2.0', `HTTP/2.0 200 OK\r\ncontent-length: 3\r\n\r\nyes${SMUGGLED}`],
  ['a status of two digits', `HTTP/1.1 20 OK\r\ncontent-length: 3\r\n\r\nyes${SMUGGLED}`],
  ['blanks before the status', `HTTP/1.1  200 OK\r\ncontent-length: 3\r\n\r\nyes${SMUGGLED}`],
  ['an empty line before the status line', `\r\n${plain('yes')}`],
  ['a chunk size with 0x', framed('0x3\r\nyes\r\n0\r\n\r\n')],
  ['a chunk size with a sign', framed('+3\r\nyes\r\n0\r\n\r\n')],
  ['a chunk size with a blank before', framed(' 3\r\nyes\r\n0\r\n\r\n')],
  ['a chunk size with a blank behind', framed('3 \r\nyes\r\n0\r\n\r\n')],
  ['a chunk size that wraps around 64 bits', framed('10000000000000003\r\nyes\r\n0\r\n\r\n')],
  ['an empty chunk size', framed('\r\nyes\r\n0\r\n\r\n')],
  ['a chunk size that ends with a line feed alone', framed('3\nyes\r\n0\r\n\r\n')],
  ['a chunk size that ends with a carriage return alone', framed('3\ryes\r\n0\r\n\r\n')],
  ['a line feed in a chunk extension', framed('3;a\nb\r\nyes\r\n0\r\n\r\n')],
  ['a chunk longer than its size', framed('3\r\nyesno\r\n0\r\n\r\n')],
  ['a chunk that ends with a line feed alone', framed('3\r\nyes\n0\r\n\r\n')],
  ['a trailer that is no field', framed('3\r\nyes\r\n0\r\nno field\r\n\r\n')],
  ['a trailer on a folded line', framed('3\r\nyes\r\n0\r\nx: a\r\n b\r\n\r\n')],
]

/** Each connection gives the same answer once, and then what would be the answer to a second request on it. */
const giving =
  (answer: string): Script =>
  async (peer) => {
    await peer.request()
    await peer.write(Buffer.from(answer, 'latin1'))
    await peer.closed
  }

describe('an answer that may end elsewhere for somebody else is refused, or its connection is used no more', () => {
  test.each(ATTEMPTS)('%s', async (_name, answer) => {
    await using server = await rawServer(giving(answer))
    using agent = agentOf(backendAt(server.port))
    const first = await ask(agent)
    if (first.kind === 'ended') expect(['', 'yes']).toContain(first.body)
    else expect(first).toMatchObject({ kind: 'failed', reason: 'framing' })
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, connectionsIdle: 0, slotsTaken: 0 })
    await ask(agent)
    expect(server.accepted).toBe(2)
    expect(agent.stats().resends).toBe(0)
  })
})
