import { describe, expect, test } from 'bun:test'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ANSWER, type Played, played, WHOLE, written } from './exchange-kit.ts'

describe('an exchange that is over', () => {
  interface Ending {
    readonly name: string
    act(made: Played): void
    readonly reports: readonly string[]
    readonly does: readonly string[]
  }
  const endings: readonly Ending[] = [
    { name: 'whole', act: ({ kept }) => kept.says(ANSWER), reports: WHOLE, does: ['kept back null'] },
    {
      name: 'whole, and the connection is to be closed',
      act: ({ kept }) => kept.says(ANSWER.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
      reports: WHOLE,
      does: ['kept close'],
    },
    {
      name: 'whole, with bytes behind it',
      act: ({ kept }) => kept.says(`${ANSWER}HTTP/1.1 200 OK`),
      reports: WHOLE,
      does: ['kept close'],
    },
    {
      name: 'whole with the end of its connection',
      act({ kept: { says, connection } }) {
        says('HTTP/1.1 200 OK\r\n\r\nyes')
        connection.user.finished(connection)
      },
      reports: WHOLE,
      does: ['kept close'],
    },
    {
      name: 'cut short',
      act({ kept: { says, connection } }) {
        says(ANSWER.slice(0, -1))
        connection.user.finished(connection)
      },
      reports: ['head 200', 'body ye', 'failure'],
      does: ['kept destroy'],
    },
    {
      name: 'reset in its answer',
      act({ kept: { says, connection } }) {
        says(ANSWER.slice(0, -1))
        connection.user.closed(connection, 'reset')
      },
      reports: ['head 200', 'body ye', 'failure'],
      does: ['kept destroy'],
    },
    {
      name: 'not HTTP',
      act: ({ kept }) => kept.says('SSH-2.0\r\n\r\n'),
      reports: ['failure'],
      does: ['kept destroy'],
    },
    {
      name: 'silent',
      act({ kept, clock }) {
        kept.says(ANSWER.slice(0, -1))
        clock.advance(1000)
      },
      reports: ['head 200', 'body ye', 'failure'],
      does: ['kept destroy'],
    },
    {
      name: 'aborted at the last byte of its answer',
      act(made) {
        const { push } = made.reports
        made.reports.push = (report) => {
          if (report.startsWith('body')) made.exchange.abort()
          return push.call(made.reports, report)
        }
        made.kept.says(ANSWER)
      },
      reports: ['head 200', 'body yes'],
      does: ['kept destroy'],
    },
    { name: 'aborted', act: ({ exchange }) => exchange.abort(), reports: [], does: ['kept destroy'] },
  ]
  test.each([...endings])(
    '$name: has reported all, and leaves its connection alone',
    async ({ act, reports, does }) => {
      const made = written()
      act(made)
      expect(made.reports).toEqual([...reports])
      expect(made.log).toEqual([...does])
      expect(made.exchange.isOver).toBe(true)
      made.exchange.pause()
      made.exchange.resume()
      made.exchange.pause()
      made.exchange.abort()
      made.exchange.more()
      made.exchange.broken('reset', 'late')
      made.exchange.writeNow()
      made.clock.advance(100_000)
      await settleMicrotasks()
      expect(made.reports).toEqual([...reports])
      expect(made.log).toEqual([...does])
      expect(made.clock.timers).toBe(0)
    },
  )

  test('during a pause: its connection reads again before it is given back', () => {
    const made = written()
    made.exchange.pause()
    made.kept.says(ANSWER)
    made.exchange.resume()
    expect(made.log).toEqual(['kept pause', 'kept resume', 'kept back null'])
    expect(made.kept.connection.served).toBe(1)
  })

  test('in the middle of a read: nothing watches it any more', () => {
    const made = written()
    made.reports.push = () => {
      made.exchange.abort()
      return 0
    }
    made.kept.says(ANSWER.slice(0, -1))
    expect([made.log, made.clock.timers]).toEqual([['kept destroy'], 0])
  })

  test('while its body is still coming: nobody waits for that any more', async () => {
    const made = played({ kept: false, rest: { bodyBytes: 9, read: () => Promise.resolve(Buffer.from('{}more..')) } })
    const hand = made.open()
    hand.takes = 5
    made.write()
    expect(made.clock.timers).toBe(1)
    made.exchange.abort()
    await settleMicrotasks()
    expect(made.clock.timers).toBe(0)
    expect(hand.written).toHaveLength(5)
  })

  test('before its request was written to the end: its connection has no clear end', async () => {
    const made = played()
    made.kept.takes = 5
    made.write()
    made.log.length = 0
    made.kept.says(ANSWER)
    made.kept.connection.user.drained(made.kept.connection)
    await settleMicrotasks()
    expect(made.reports).toEqual([...WHOLE])
    expect(made.log).toEqual(['kept destroy'])
    expect(made.kept.written).toHaveLength(5)
    expect([made.exchange.sentCompletely, made.firstBytes]).toEqual([false, []])
  })
})

describe('a connection that becomes free meanwhile', () => {
  test('is taken; the one that dials is left to the agent, and the wait was its dial', () => {
    const made = played({ kept: false })
    made.clock.advance(5)
    const other = made.another('other')
    made.exchange.takeOver(other.connection)
    made.write()
    other.says(ANSWER)
    expect(made.log.slice(0, 4)).toEqual(['awaits', 'awaits no more', 'new 0 adopted', 'count kept'])
    expect(made.reports).toEqual([...WHOLE])
    expect(made.exchange.timing()).toMatchObject({ connection: 'kept', connectUs: 5000 })
  })

  test('is awaited no more once the exchange is over', () => {
    const made = played({ kept: false })
    made.exchange.abort()
    expect(made.log).toEqual(['awaits', 'awaits no more', 'new 0 destroy'])
  })

  test('its wait began when it was asked for', () => {
    const made = played()
    made.clock.advance(3)
    made.kept.says('nobody asked')
    made.write() // the end of the tick in which it was to be written
    expect([made.dialled[0]?.written, made.log]).toEqual(['', ['kept destroy', 'awaits']])
    made.clock.advance(5)
    made.exchange.takeOver(made.another('other').connection)
    expect(made.exchange.timing()).toMatchObject({ connection: 'kept', connectUs: 5000 })
  })
})

describe('what is read', () => {
  test('the time of the first byte, once', () => {
    const made = written()
    made.clock.advanceUs(300)
    made.kept.says(ANSWER.slice(0, 9))
    made.clock.advanceUs(300)
    made.kept.says(ANSWER.slice(9))
    expect(made.firstBytes).toEqual([300])
    expect(made.exchange.timing()).toMatchObject({ writeUs: 0, firstByteUs: 300 })
  })

  test('may be paused as often as its reader wants', () => {
    const made = written()
    for (let n = 0; n < 2; n++) {
      made.exchange.pause()
      made.exchange.pause()
      made.exchange.resume()
      made.exchange.resume()
    }
    expect(made.log).toEqual(['kept pause', 'kept resume', 'kept pause', 'kept resume'])
    made.exchange.abort()
  })

  test('a reader that throws ends its exchange, and its connection', () => {
    const made = written()
    made.reports.push = () => {
      throw new Error('a bug of the reader')
    }
    expect(() => made.kept.says(ANSWER)).toThrow('a bug of the reader')
    expect(made.exchange.isOver).toBe(true)
    expect(made.log).toEqual(['kept destroy'])
  })
})
