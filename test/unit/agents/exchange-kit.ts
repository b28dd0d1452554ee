import { ActiveExchange } from '../../../src/agents/active-exchange.ts'
import { Connection } from '../../../src/agents/connection.ts'
import type { ExchangeFailure, OutgoingRequest } from '../../../src/agents/contract.ts'
import type { DialRefusal, ExchangeHost } from '../../../src/agents/exchange-host.ts'
import type { Outgoing } from '../../../src/agents/outbox.ts'
import { writeRequestHead } from '../../../src/agents/request-head.ts'
import { fakeClock } from '../../support/fake-clock.ts'

type HandConnection = ReturnType<typeof handConnection>

/** A connection in the test's hand: what was written on it and done to it; `takes` is what it takes of each write. */
export function handConnection(name: string, log: string[]) {
  const hand = {
    takes: Number.POSITIVE_INFINITY,
    written: '',
    write(bytes: Uint8Array, offset: number, size: number): number {
      const taken = Math.min(hand.takes, size)
      if (taken > 0) hand.written += Buffer.from(bytes).toString('latin1', offset, offset + taken)
      return taken
    },
    says: (text: string): void => connection.user.data(connection, Buffer.from(text)),
  }
  const note = (what: string) => (): void => {
    log.push(`${name} ${what}`)
  }
  const doings = { pause: note('pause'), resume: note('resume'), close: note('close'), destroy: note('destroy') }
  // What an exchange does with it is all played here: it has no socket, and dials nothing.
  const connection: Connection = Object.assign(Object.create(Connection.prototype), {
    ...{ openedUs: 0, roundTripUs: 0, served: 0, dnsUs: null, connectUs: 7, tlsUs: null },
    ...doings,
    write: hand.write,
  })
  return Object.assign(hand, { connection })
}

export const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes'

interface PlayedSpec extends Partial<Pick<OutgoingRequest, 'body' | 'rest' | 'resend'>> {
  /** Whether one is kept. */
  readonly kept?: boolean
  /** No connection can be dialled. */
  readonly refusal?: DialRefusal
}

/** An exchange whose connections, agent and receiver are all the test. It has been started. */
export function played({ kept = true, refusal, ...more }: PlayedSpec = {}) {
  const clock = fakeClock()
  clock.advance(60_000) // it has run for a while
  const log: string[] = []
  const reports: string[] = []
  const firstBytes: number[] = []
  const failures: ExchangeFailure[] = []
  const waiting: Outgoing[] = []
  const dialled: HandConnection[] = []
  const first = handConnection('kept', log)
  let isThere = kept
  const nameOf = (connection: Connection): string =>
    connection === first.connection ? 'kept' : `new ${dialled.findIndex((hand) => hand.connection === connection)}`
  const host: ExchangeHost = {
    clock,
    takeKept() {
      const taken = isThere ? first.connection : null
      isThere = false
      return taken
    },
    writeSoon: (exchange) => waiting.push(exchange),
    dial(_ms, user) {
      if (refusal !== undefined) return refusal
      const hand = handConnection(`new ${dialled.length}`, log)
      hand.connection.user = user
      dialled.push(hand)
      return hand.connection
    },
    awaits: () => log.push('awaits'),
    awaitsNoMore: () => log.push('awaits no more'),
    adopt: (connection) => log.push(`${nameOf(connection)} adopted`),
    giveBack: (connection, ms) => log.push(`${nameOf(connection)} back ${ms}`),
    lost: (connection) => log.push(`${nameOf(connection)} lost`),
    count: (use) => log.push(`count ${use}`),
    opened: (connection) => log.push(`${nameOf(connection)} opened`),
    noteFirstByte: (us) => firstBytes.push(us),
  }
  const request: OutgoingRequest = {
    ...{ method: 'POST', target: '/v1', headers: [], body: Buffer.from('{}'), ...more },
    limits: { connectMs: 5000, idleMs: 1000 },
  }
  const exchange = new ActiveExchange(host, request, writeRequestHead('one', request), {
    head: ({ status }) => reports.push(`head ${status}`),
    body: (bytes) => reports.push(`body ${Buffer.from(bytes)}`),
    end: () => reports.push('end'),
    failure(failure) {
      reports.push('failure')
      failures.push(failure)
    },
  })
  exchange.start()
  return {
    ...{ clock, exchange, kept: first, dialled, log, reports, failures, firstBytes },
    /** The end of a tick: what waits is written. */
    write() {
      for (const outgoing of waiting.splice(0)) outgoing.writeNow()
    },
    /** The dial that was begun last has come to a connection. */
    open(): HandConnection {
      const hand = dialled.at(-1)
      if (hand === undefined) throw new Error('nothing was dialled')
      hand.connection.user.opened(hand.connection)
      return hand
    },
    another: (name: string): HandConnection => handConnection(name, log),
  }
}

export type Played = ReturnType<typeof played>

/** What is reported of `ANSWER`. */
export const WHOLE: readonly string[] = ['head 200', 'body yes', 'end']

/** A request that was written on the kept connection. */
export function written(): Played {
  const made = played()
  made.write()
  made.log.length = 0
  return made
}
