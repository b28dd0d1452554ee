import type { CancelTimer, Clock } from '../lib/index.ts'
import type { Connection, ConnectionUser } from './connection.ts'
import { OutgoingBytes } from './outgoing-bytes.ts'
import { ReplyParser, type ReplySink } from './reply-parser.ts'

/**
 * What became of a ping. `answered` with any status: the path is alive. `closed`: the connection ended before an answer was whole.
 * `silent`: nothing whole came within the limit, and the path counts as dead.
 */
export type PingEnd =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly mayKeep: boolean
      readonly keepAliveMs: number | null
    }
  | { readonly kind: 'closed' | 'silent' }

export interface PingOptions {
  readonly clock: Clock
  /** The whole request as it goes on the wire; it has no body. */
  readonly head: string
  readonly limitMs: number
  /** Called once, in a later tick. The connection is the receiver's again; it is closed unless the answer says `mayKeep`. */
  readonly onEnd: (end: PingEnd, ping: ConnectionPing) => void
}

/** A list of models can be long; whoever sends more than this should be asked for something smaller. */
const BODY_BYTES_MAX = 256 * 1024

/** One cheap request on an idle connection, which tells whether its path is alive. */
export class ConnectionPing implements ConnectionUser, ReplySink {
  readonly connection: Connection
  readonly startedUs: number
  readonly #options: PingOptions
  readonly #parser = new ReplyParser()
  readonly #outgoing: OutgoingBytes
  readonly #cancelTimer: CancelTimer
  #status = 0
  #bodyBytes = 0
  #isOver = false

  constructor(connection: Connection, options: PingOptions) {
    this.connection = connection
    this.#options = options
    this.#outgoing = new OutgoingBytes(options.head, null)
    this.startedUs = options.clock.monotonicUs()
    this.#cancelTimer = options.clock.after(options.limitMs, () => this.#end({ kind: 'silent' }))
    connection.user = this
    if (this.#outgoing.start(connection) === 'closed') queueMicrotask(() => this.#end({ kind: 'closed' }))
  }

  /** Ends it, and its connection, without a report. */
  stop(): void {
    this.#close()
    this.connection.destroy()
  }

  opened(): void {}

  unsent(): void {}

  data(_connection: Connection, bytes: Buffer): void {
    const progress = this.#parser.push(bytes, this)
    if (progress === 'complete') this.#answered(this.#parser.mayKeep)
    else if (progress === 'stopped') this.#answered(false)
    else if (progress === 'invalid') this.#end({ kind: 'closed' })
  }

  drained(connection: Connection): void {
    if (this.#outgoing.continue(connection) === 'closed') this.#end({ kind: 'closed' })
  }

  finished(): void {
    if (this.#parser.finish() === 'complete') this.#answered(false)
    else this.#end({ kind: 'closed' })
  }

  closed(): void {
    this.#end({ kind: 'closed' })
  }

  head({ status }: { readonly status: number }): void {
    this.#status = status
  }

  body(bytes: Buffer): void {
    this.#bodyBytes += bytes.length
    if (this.#bodyBytes > BODY_BYTES_MAX) this.#parser.stop()
  }

  #answered(mayKeep: boolean): void {
    this.connection.served++
    this.#end({ kind: 'answered', status: this.#status, mayKeep, keepAliveMs: this.#parser.keepAliveMs })
  }

  #end(end: PingEnd): void {
    if (this.#isOver) return
    this.#close()
    if (end.kind !== 'answered' || !end.mayKeep) this.connection.destroy()
    this.#options.onEnd(end, this)
  }

  #close(): void {
    this.#isOver = true
    this.#cancelTimer()
  }
}
