import { describe, expect, test } from 'bun:test'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ANSWER, type Played, played, WHOLE, written } from './exchange-kit.ts'

describe('a request is counted', () => {
  test('when a byte of it may have gone, not before', () => {
    const made = played()
    expect(made.log).toEqual([])
    made.write()
    expect(made.log).toEqual(['count kept'])
    expect(made.exchange.sentCompletely).toBe(true)
  })

  test('not where its connection was closed when it was to be written: another one is taken as if that had not been there', async () => {
    const made = played({ resend: 'never' })
    made.kept.takes = -1
    made.write()
    expect(made.log).toEqual([])
    await settleMicrotasks()
    expect(made.log).toEqual(['kept lost', 'kept destroy', 'awaits'])
    const { connection, says } = made.open()
    made.write()
    connection.user.data(connection, Buffer.alloc(0))
    says(ANSWER)
    expect(made.log.slice(3)).toEqual(['awaits no more', 'new 0 opened', 'count new', 'new 0 back null'])
    expect(made.reports).toEqual([...WHOLE])
  })

  test('nor where its new connection is closed before it was to be written: it was not sent', () => {
    const made = played({ kept: false })
    const { connection } = made.open()
    connection.user.closed(connection, 'reset')
    made.write()
    expect(made.failures).toEqual([{ kind: 'unsent', reason: 'connect', message: 'reset' }])
    expect(made.log).not.toContain('count new')
  })

  test('nor where it was aborted before it heard of its connection', async () => {
    const closed = played()
    closed.kept.takes = -1
    closed.write()
    closed.exchange.abort()
    const refused = played({ kept: false, refusal: { reason: 'no_room', message: 'full' } })
    refused.exchange.abort()
    await settleMicrotasks()
    expect([closed.log, closed.dialled, refused.log, refused.reports]).toEqual([['kept destroy'], [], [], []])
  })

  test('nor on a connection that was closed, which it hears twice of', async () => {
    const made = played()
    made.kept.takes = -1
    made.write()
    made.kept.connection.user.closed(made.kept.connection, 'reset')
    await settleMicrotasks()
    expect(made.log).toEqual(['kept lost', 'kept destroy', 'awaits'])
    expect(made.dialled).toHaveLength(1)
  })

  test('nor where it was aborted in the tick of its start', () => {
    const made = played()
    made.exchange.abort()
    made.write()
    expect(made.kept.written).toBe('')
    expect(made.log).toEqual(['kept destroy'])
  })

  test('nor where there is no connection for it: it was not sent', async () => {
    const made = played({ kept: false, refusal: { reason: 'no_room', message: 'full' } })
    expect(made.failures).toEqual([])
    await settleMicrotasks()
    expect(made.failures).toEqual([{ kind: 'unsent', reason: 'no_room', message: 'full' }])
    expect(made.log).toEqual([])
    expect(made.exchange.timing().connection).toBe('unsent')
  })
})

describe('a request is sent once more', () => {
  /** Its kept connection was reset before a byte of the answer. */
  function resent(): Played {
    const made = written()
    made.kept.connection.user.closed(made.kept.connection, 'reset')
    return made
  }

  test('on a new connection, whole, and waits for no other', () => {
    const made = resent()
    const { written: sent, says } = made.open()
    expect(sent).toBe('')
    made.write()
    expect(made.dialled[0]?.written).toBe(made.kept.written)
    says(ANSWER)
    expect(made.reports).toEqual([...WHOLE])
    expect(made.log).toEqual(['kept lost', 'kept destroy', 'new 0 opened', 'count resent', 'new 0 back null'])
    expect(made.exchange.timing()).toMatchObject({ connection: 'resent', connectUs: 7 })
  })

  test.each([5, 1000])('whole, in whatever pieces it is taken, and was before: %i bytes', (takes) => {
    const made = played()
    made.kept.takes = takes
    made.write()
    made.kept.connection.user.drained(made.kept.connection)
    if (takes === 5) made.clock.advance(100_000) // what was not written to the end cannot have been executed
    made.kept.connection.user.closed(made.kept.connection, 'reset')
    const hand = made.open()
    hand.takes = 7
    made.write()
    for (let n = 0; n < 100; n++) hand.connection.user.drained(hand.connection)
    expect(hand.written).toBe('POST /v1 HTTP/1.1\r\nhost: one\r\ncontent-length: 2\r\n\r\n{}')
    expect(made.exchange.sentCompletely).toBe(true)
    hand.says(ANSWER)
    expect(made.reports).toEqual([...WHOLE])
    expect(made.log.at(-1)).toBe('new 0 back null')
  })

  test.each([
    ['reset', (made: Played) => made.open().connection.user.closed],
    ['FIN', (made: Played) => made.open().connection.user.finished],
  ])('and no third time: %s', (_name, ending) => {
    const made = resent()
    const end = ending(made)
    made.write()
    const [hand] = made.dialled
    if (hand === undefined) throw new Error('nothing was dialled')
    end.call(made.exchange, hand.connection, 'again')
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'reset', sent: true }])
    expect(made.dialled).toHaveLength(1)
  })

  test('and not where the second dial fails: the first may have been executed', () => {
    const made = resent()
    const [hand] = made.dialled
    if (hand === undefined) throw new Error('nothing was dialled')
    made.exchange.unsent(hand.connection, 'connect', 'refused')
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'reset', sent: true }])
    expect(made.exchange.sentCompletely).toBe(true)
  })

  test('and not where it was sent on a new connection', () => {
    const made = played({ kept: false })
    const { connection } = made.open()
    made.write()
    connection.user.closed(connection, 'reset')
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'reset', sent: true }])
    expect(made.log).not.toContain('new 0 lost')
  })

  test('the pause of who reads holds for the new connection too', () => {
    const made = written()
    made.exchange.pause()
    made.kept.connection.user.closed(made.kept.connection, 'reset')
    made.open()
    expect(made.log).toContain('new 0 pause')
    made.exchange.resume()
    expect(made.log.at(-1)).toBe('new 0 resume')
  })
})

interface UploadingSpec {
  readonly bodyBytes?: number | null
  readonly body?: string | null
  readonly takes?: number
}

describe('a body that is still coming', () => {
  /** It comes in these pieces; the connection takes so much of each write. */
  function uploading(pieces: readonly string[], { bodyBytes = 9, body = '{}', takes = 1000 }: UploadingSpec = {}) {
    let reads = 0
    const read = (): Promise<Uint8Array | null> => {
      const piece = pieces[reads++]
      return Promise.resolve(piece === undefined ? null : Buffer.from(piece))
    }
    const made = played({ kept: false, body: body === null ? null : Buffer.from(body), rest: { bodyBytes, read } })
    const hand = made.open()
    hand.takes = takes
    made.write()
    return Object.assign(made, {
      hand,
      reads: () => reads,
      drain: () => hand.connection.user.drained(hand.connection),
      sent: () => hand.written.slice(hand.written.indexOf('\r\n\r\n') + 4),
    })
  }

  test.each([
    ['behind its beginning', '{}', ['more', '...']],
    ['though all of it was its beginning', '{}-more..', []],
    ['of which nothing has come yet', null, ['{}-more..']],
    ['byte by byte', '', [...'{}-more..']],
  ])('goes out whole, %s', async (_name, body, pieces) => {
    const made = uploading(pieces, { body })
    await settleMicrotasks()
    expect(made.sent()).toBe((body ?? '') + pieces.join(''))
    expect(made.exchange.sentCompletely).toBe(true)
    made.hand.says(ANSWER)
    expect(made.log.at(-1)).toBe('new 0 back null')
  })

  test.each([
    ['behind its beginning', '{}', ['1\r\n2', ''], '2\r\n{}\r\n4\r\n1\r\n2\r\n0\r\n\r\n'],
    ['of which nothing has come yet', '', ['a', 'b'], '1\r\na\r\n1\r\nb\r\n0\r\n\r\n'],
    ['that has no beginning', null, ['x'.repeat(26)], `1a\r\n${'x'.repeat(26)}\r\n0\r\n\r\n`],
  ])('goes out in chunks where nobody knows its length, %s', async (_name, body, pieces, sent) => {
    const made = uploading(pieces, { body, bodyBytes: null })
    await settleMicrotasks()
    expect(made.sent()).toBe(sent)
    expect(made.exchange.sentCompletely).toBe(true)
  })

  test.each([
    ['shorter', '{}-more.'],
    ['longer', '{}-more...'],
  ])('that is one byte %s than its length was not sent', async (how, piece) => {
    const made = uploading([piece], { body: null })
    await settleMicrotasks()
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'reset', sent: false }])
    expect(made.failures[0]?.message).toContain(how)
    expect(made.log.at(-1)).toBe('new 0 destroy')
  })

  test('is asked for one piece after the other, whatever the connection reports', async () => {
    const made = uploading(['more', '...'])
    expect(made.reads()).toBe(1)
    made.drain()
    made.drain()
    expect(made.reads()).toBe(1)
    await settleMicrotasks()
    expect([made.reads(), made.sent()]).toEqual([3, '{}more...'])
  })

  test('may go out slowly, as long as the connection takes some of it within the limit', () => {
    const made = uploading(['more', '...'], { takes: 5 })
    for (let n = 0; n < 3; n++) {
      made.clock.advance(999)
      made.drain()
    }
    expect([made.failures, made.clock.timers]).toEqual([[], 1])
    made.clock.advance(1000)
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'idle_timeout', sent: false }])
  })

  test('is never sent twice', () => {
    const made = uploading(['more', '...'])
    made.hand.connection.user.closed(made.hand.connection, 'reset')
    expect(made.failures).toMatchObject([{ kind: 'failed', reason: 'reset', sent: false }])
    expect(made.dialled).toHaveLength(1)
  })
})
