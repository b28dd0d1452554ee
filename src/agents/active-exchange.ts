import type { ConnectionUse, ExchangeTiming, UnsentReason } from '../domain/index.ts'
import { Connection, type ConnectionUser } from './connection.ts'
import type { Exchange, ExchangeFailure, ExchangeObserver, OutgoingRequest, ReplyHead } from './contract.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { ExchangeTimes } from './exchange-times.ts'
import { IdleWatch } from './idle-watch.ts'
import type { Outgoing } from './outbox.ts'
import { OutgoingBytes } from './outgoing-bytes.ts'
import { OutgoingUpload, type UploadUser } from './outgoing-upload.ts'
import { ReplyParser, type ReplySink } from './reply-parser.ts'
import { wasClosedBefore } from './was-closed-before.ts'

/**
 * One request and its answer, on a connection of its own. A kept connection may have been closed by the backend while the
 * request was on its way: then it is sent once more, on a new one, at most once and only under the rule of `wasClosedBefore`.
 */
export class ActiveExchange implements Exchange, ConnectionUser, ReplySink, Outgoing, UploadUser {
  isOver = false
  readonly #host: ExchangeHost
  readonly #request: OutgoingRequest
  readonly #observer: ExchangeObserver
  readonly #head: string
  readonly #parser = new ReplyParser()
  #outgoing: OutgoingBytes
  #connection: Connection | null = null
  #use: ConnectionUse = 'unsent'
  #isSent = false
  #hasBegun = false
  #isPaused = false
  #isAwaiting = false
  #isWaiting = false // for the end of the tick, when it is written
  #hasHead = false
  #startedUs = 0
  readonly #times = new ExchangeTimes()
  #idle: IdleWatch | null = null

  /** `head` is the request's head as it goes on the wire. */
  constructor(host: ExchangeHost, request: OutgoingRequest, head: string, observer: ExchangeObserver) {
    this.#host = host
    this.#request = request
    this.#observer = observer
    this.#head = head
    this.#outgoing = this.#bytesToSend()
  }

  /** Sticky: it stays true when the request is sent once more, for the first sending may have been executed. */
  get sentCompletely(): boolean {
    return this.#isSent
  }

  /** Takes a connection and writes. Nothing is reported before this returns. */
  start(): void {
    const isUpload = this.#request.rest !== undefined // not sent twice: it needs a connection that is surely open
    const kept = isUpload ? null : this.#host.takeKept()
    if (kept !== null) {
      this.#sendOn(kept, 'kept')
      return
    }
    this.#startedUs = this.#host.clock.monotonicUs()
    this.#dial()
    if (this.#connection === null || isUpload) return
    this.#isAwaiting = true
    this.#host.awaits(this)
  }

  /** A connection has become free while its own still dials: that one is left to the agent. */
  takeOver(connection: Connection): void {
    const dialling = this.#connection
    this.#awaitNoMore()
    if (dialling !== null) this.#host.adopt(dialling)
    this.#times.connectUs = this.#host.clock.monotonicUs() - this.#startedUs
    this.#sendOn(connection, 'kept')
  }

  pause(): void {
    if (this.isOver || this.#isPaused) return
    this.#isPaused = true
    this.#idle?.pause()
    this.#connection?.pause()
  }

  resume(): void {
    if (this.isOver || !this.#isPaused) return
    this.#isPaused = false
    this.#idle?.resume()
    this.#connection?.resume()
  }

  abort(): void {
    if (this.isOver) return
    this.#parser.stop()
    this.#close()
    this.#connection?.destroy()
  }

  timing(): ExchangeTiming {
    return this.#times.told(this.#use)
  }

  // The reports of the connection, and of a body that is still coming

  opened(connection: Connection): void {
    this.#awaitNoMore()
    this.#host.opened(connection)
    this.#times.dialled(connection)
    this.#sendOn(connection, this.#use === 'resent' ? 'resent' : 'new')
  }

  unsent(_connection: Connection, reason: UnsentReason, message: string): void {
    this.#dialFailed(reason, message)
  }

  data(connection: Connection, bytes: Buffer): void {
    if (this.#isUntouched) {
      this.#leave(connection) // nobody asked: it may belong to an older answer
      return
    }
    const nowUs = this.#host.clock.monotonicUs()
    const times = this.#times
    if (times.firstByteUs === null) {
      times.firstByteUs = nowUs
      if (times.writtenLastUs !== null) this.#host.noteFirstByte(nowUs - times.writtenLastUs)
    }
    this.#idle?.heard(nowUs)
    let progress: ReturnType<ReplyParser['push']>
    try {
      progress = this.#parser.push(bytes, this)
    } catch (bug) {
      this.#fail('framing', 'the answer could not be taken in') // the reader's bug, but the exchange must end
      throw bug
    }
    if (progress === 'complete') this.#complete(connection)
    else if (progress === 'invalid') this.#fail('framing', this.#parser.error)
    else if (progress === 'more') this.#watchSilence()
  }

  drained(connection: Connection): void {
    if (!this.isOver && !this.#isWaiting && this.#times.writtenLastUs === null)
      this.#wrote(connection, this.#outgoing.continue(connection))
  }

  finished(connection: Connection): void {
    const message = 'the backend closed the connection'
    if (this.#times.firstByteUs === null) this.#lost(connection, message)
    else if (this.#parser.finish() === 'complete') this.#complete(connection)
    else this.#fail('reset', `${message} in the middle of its answer`)
  }

  closed(connection: Connection, message: string): void {
    this.#lost(connection, message)
  }

  more(): void {
    if (this.#connection !== null) this.drained(this.#connection)
  }

  broken(reason: 'reset' | 'idle_timeout', message: string): void {
    this.#fail(reason, message)
  }

  // The parser's reports

  head(head: ReplyHead): void {
    this.#hasHead = true
    this.#observer.head(head)
  }

  body(bytes: Buffer): void {
    this.#observer.body(bytes)
  }

  // Steps

  #dial(): void {
    const dialled = this.#host.dial(this.#request.limits.connectMs, this)
    this.#connection = dialled instanceof Connection ? dialled : null
    if (!(dialled instanceof Connection)) queueMicrotask(() => this.#dialFailed(dialled.reason, dialled.message))
  }

  #awaitNoMore(): void {
    if (!this.#isAwaiting) return
    this.#isAwaiting = false
    this.#host.awaitsNoMore(this)
  }

  #sendOn(connection: Connection, use: ConnectionUse): void {
    this.#connection = connection
    connection.user = this
    this.#use = use
    this.#times.sentOn(connection, this.#host.clock.monotonicUs())
    if (this.#isPaused) connection.pause()
    this.#isWaiting = true
    this.#host.writeSoon(this)
  }

  writeNow(): void {
    const connection = this.#connection
    if (!this.#isWaiting || connection === null) return
    this.#isWaiting = false
    const taken = this.#outgoing.start(connection)
    if (taken !== 'closed') this.#host.count(this.#use)
    this.#wrote(connection, taken)
  }

  #wrote(connection: Connection, taken: 'all' | 'partly' | 'closed'): void {
    if (this.#outgoing.hasBegun) this.#hasBegun = true
    if (taken === 'all') {
      this.#isSent = true
      this.#times.writtenLastUs = this.#host.clock.monotonicUs()
      this.#watchSilence()
    } else if (taken === 'closed') {
      queueMicrotask(() => this.#lost(connection, 'the connection was closed'))
    }
  }

  #bytesToSend(): OutgoingBytes {
    const { body, rest } = this.#request
    if (rest === undefined) return new OutgoingBytes(this.#head, body)
    return new OutgoingUpload(this.#head, { ...this.#request, rest }, this, this.#host.clock)
  }

  /** The answer is complete. The connection is back in its place before this is told: the slot's next owner may want it. */
  #complete(connection: Connection): void {
    this.#close()
    connection.served++
    if (this.#isPaused) connection.resume()
    if (this.#times.writtenLastUs === null)
      connection.destroy() // answered before the request was complete: it has no clear end
    else if (this.#parser.mayKeep) this.#host.giveBack(connection, this.#parser.keepAliveMs)
    else connection.close()
    this.#observer.end()
  }

  /** The connection is gone before the answer was complete. */
  #lost(connection: Connection, message: string): void {
    if (this.isOver || connection !== this.#connection) return
    const isStale = this.#isStale(connection)
    if (isStale) this.#host.lost(connection)
    if (this.#isUntouched || (isStale && this.#request.resend !== 'never')) this.#leave(connection)
    else this.#fail('reset', message)
  }

  /** Not one byte of the request was written on the kept connection that it was given. */
  get #isUntouched(): boolean {
    return this.#use === 'kept' && !this.#hasBegun
  }

  /** For another one: as if an untouched one had not been there; else the request is sent once more, and surely on a new one. */
  #leave(connection: Connection): void {
    const isUntouched = this.#isUntouched
    connection.destroy()
    this.#isWaiting = false
    this.#use = isUntouched ? 'unsent' : 'resent'
    this.#times.startAnew()
    this.#outgoing = this.#bytesToSend()
    if (isUntouched) this.start()
    else this.#dial()
  }

  #isStale({ roundTripUs }: Connection): boolean {
    if (this.#use !== 'kept' || this.#times.firstByteUs !== null) return false
    const sinceUs = this.#host.clock.monotonicUs() - this.#times.writtenFirstUs
    return this.#times.writtenLastUs === null || wasClosedBefore(roundTripUs, sinceUs)
  }

  /** After a first sending the backend may hold the request, so a second dial that fails does not make it unsent. */
  #dialFailed(reason: UnsentReason, message: string): void {
    if (this.isOver) return
    if (this.#hasBegun) this.#fail('reset', `a kept connection was closed, and no new one could be opened: ${message}`)
    else this.#end({ kind: 'unsent', reason, message })
  }

  #fail(reason: 'reset' | 'framing' | 'idle_timeout', message: string): void {
    if (this.isOver) return
    if (this.#hasBegun) this.#end({ kind: 'failed', reason, message, sent: this.#isSent })
    else this.#end({ kind: 'unsent', reason: 'connect', message })
  }

  #end(failure: ExchangeFailure): void {
    this.#close()
    this.#connection?.destroy()
    this.#observer.failure(failure)
  }

  #close(): void {
    this.isOver = true
    this.#isWaiting = false
    this.#awaitNoMore()
    this.#idle?.stop()
    this.#outgoing.stop()
  }

  /** From the head on; but not before an upload has gone out: until then its sender is waited for. */
  #watchSilence(): void {
    if (!this.#hasHead || this.#idle !== null) return
    if (this.#request.rest !== undefined && this.#times.writtenLastUs === null) return
    const { idleMs } = this.#request.limits
    this.#idle = new IdleWatch(this.#host.clock, idleMs, this.#isPaused, (why) => this.#fail('idle_timeout', why))
  }
}
