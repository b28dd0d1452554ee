import type { ConnectionUse, ExchangeTiming } from '../domain/index.ts'
import type { Connection } from './connection.ts'

/** When the steps of one exchange were, and what its dial took, in µs; null for what has not happened. */
export class ExchangeTimes {
  /** Of a kept connection: the wait until it was free. */
  connectUs: number | null = null
  writtenFirstUs = 0
  writtenLastUs: number | null = null
  firstByteUs: number | null = null
  #dnsUs: number | null = null
  #tlsUs: number | null = null
  #ageMs: number | null = null

  /** A connection was dialled for it. */
  dialled({ dnsUs, connectUs, tlsUs }: Connection): void {
    this.#dnsUs = dnsUs
    this.connectUs = connectUs
    this.#tlsUs = tlsUs
  }

  /** The request is about to be written on a connection that was opened then. */
  sentOn({ openedUs }: Connection, nowUs: number): void {
    this.writtenFirstUs = nowUs
    this.#ageMs = Math.round((nowUs - openedUs) / 1000)
  }

  /** It is to be written on another one. */
  startAnew(): void {
    this.writtenLastUs = null
    this.#ageMs = null
  }

  told(connection: ConnectionUse): ExchangeTiming {
    const { connectUs, writtenFirstUs, writtenLastUs, firstByteUs } = this
    const sentUs = writtenLastUs ?? firstByteUs
    return {
      dnsUs: this.#dnsUs,
      connectUs,
      tlsUs: this.#tlsUs,
      writeUs: writtenLastUs === null ? null : writtenLastUs - writtenFirstUs,
      firstByteUs: firstByteUs === null || sentUs === null ? null : Math.max(0, firstByteUs - sentUs),
      connection,
      connectionAgeMs: this.#ageMs,
    }
  }
}
