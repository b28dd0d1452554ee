import type { StreamEvent } from '../../dialects/index.ts'
import { type CancelledBy, errorMarks, type FailedReason } from '../../domain/index.ts'
import type { CancelTimer } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { LiveObserver, RelayEnd, RelayedStream } from '../handover.ts'
import type { House } from '../house.ts'
import { breakSafely, type DirectController, directBody, endSafely } from './direct-body.ts'
import { HEARTBEAT, Heartbeat } from './heartbeat.ts'
import type { Meter } from './meter.ts'

export interface RelayPlan {
  readonly live: RelayedStream
  readonly meter: Meter
  /** A comment to end with, before an event that is ours; empty for none. */
  readonly lastComment: Uint8Array
  /** The dialect's event that tells a client why a stream is not whole; null where events have no place: the body is broken off. */
  errorEvent(end: UnwholeEnd): Uint8Array | null
  /**
   * Called once, before the last byte leaves: money is settled by the time the client sees the end. `wasHeldUp`: the provider waited for the
   * client at some time.
   */
  ended(end: RelayEnd, wasHeldUp: boolean): void
}

export type UnwholeEnd = Exclude<RelayEnd, { kind: 'completed' }>

/** The body of a streamed answer: the held events, then each read of the provider as it comes, with backpressure both ways. */
export function relayBody(house: House, call: Call, plan: RelayPlan): ReadableStream<Uint8Array> {
  const relay = new Relay(house, call, plan)
  return directBody({ run: (controller) => relay.run(controller), cancel: () => relay.cancel('client') })
}

// Many providers end their body in a packet of its own, right behind the last event; one that does not is not waited for.
const LAST_BYTES_MS = 1000
const NOTHING = new Uint8Array(0)

/** One stream on its way to the client: who is waited for now, and whether it is over. */
export class Relay implements LiveObserver {
  readonly #house: House
  readonly #plan: RelayPlan
  readonly #clientStallMs: number
  readonly #heartbeatAfterMs: number
  #unlisten: () => void = () => {}
  #controller: DirectController | null = null
  #finish: () => void = () => {}
  #over = false
  #writesPending = 0
  #wasHeldUp = false
  #cancelStall: CancelTimer | null = null
  #cancelLastBytes: CancelTimer | null = null
  #heartbeat: Heartbeat | null = null
  #last: (() => void) | null = null // the ending that waits for the client to take what was written before

  constructor(house: House, call: Call, plan: RelayPlan) {
    this.#house = house
    this.#plan = plan
    this.#clientStallMs = call.settings.routing.clientStallMs
    this.#heartbeatAfterMs = plan.live.mediaType === null ? call.settings.routing.heartbeatAfterMs : 0
    this.#unlisten = call.leave.onFire((reason) => this.#leave(reason))
  }

  /** Runs until the stream is over. Resolving it is what ends the body. */
  run(controller: DirectController): Promise<void> {
    if (this.#over) {
      breakSafely(controller, new Error('the stream was ended before its start'))
      return Promise.resolve()
    }
    this.#controller = controller
    const { live } = this.#plan
    return new Promise((resolve) => {
      this.#finish = resolve
      this.#heartbeat = new Heartbeat(this.#house.clock, this.#heartbeatAfterMs, () => this.#beat())
      this.events(live.held)
      live.attach(this)
      if (this.#writesPending > 0) live.exchange.pause() // who attaches lets the provider go on
    })
  }

  events(events: readonly StreamEvent[]): void {
    if (this.#over || this.#last !== null) return
    const failedAt = events.findIndex((event) => event.kind === 'error')
    const good = failedAt < 0 ? events : events.slice(0, failedAt)
    this.#write(joined(good))
    const isPaid = this.#plan.meter.delivered()
    const failure = events[failedAt]
    if (failure?.kind === 'error') {
      this.#plan.live.exchange.abort()
      this.broken('error_in_answer', errorMarks(failure.error))
    } else if (!isPaid && !this.#plan.live.reply.finished) {
      this.#plan.live.exchange.abort()
      this.#endUnwhole({ kind: 'cancelled', by: 'credit' })
    }
    this.#awaitLastBytes()
  }

  end(): void {
    const { reply } = this.#plan.live
    if (!reply.finished) {
      this.broken('ended_early', 'the stream ended without a finish_reason')
      return
    }
    this.#endWith(reply.closing(), { kind: 'completed' })
  }

  /** What breaks behind the mark of a whole answer takes nothing from it, and an error event would follow that mark. */
  broken(reason: FailedReason, message: string): void {
    if (this.#plan.live.reply.closed) this.#endWith(NOTHING, { kind: 'completed' })
    else this.#endUnwhole({ kind: 'broken', reason, message })
  }

  /** A client that reads is told that the gateway stops. */
  #leave(reason: CancelledBy): void {
    const isReading = this.#controller !== null && this.#writesPending === 0 && this.#last === null
    if (reason !== 'shutdown' || !isReading) {
      this.cancel(reason === 'shutdown' ? reason : 'client')
      return
    }
    const { exchange, reply } = this.#plan.live
    exchange.abort()
    if (reply.finished) this.#endWith(reply.closing(), { kind: 'completed' })
    else this.#endUnwhole({ kind: 'cancelled', by: 'shutdown' })
  }

  /** The client left or does not read: the provider is aborted at once, nothing more is written. */
  cancel(by: 'client' | 'client_stall' | 'shutdown'): void {
    if (this.#over) return
    this.#plan.live.exchange.abort()
    // Clients close right after `[DONE]`, before the provider's body has come to its end: nothing is missing then.
    const whole = by === 'client' && this.#plan.live.reply.finished
    this.#settle(whole ? { kind: 'completed' } : { kind: 'cancelled', by })
    const controller = this.#controller
    if (controller === null) return
    // A client that does not read gets no clean end: it would take a part for the whole.
    if (by !== 'client') breakSafely(controller, new Error('the stream was ended before its end'))
    this.#finish()
  }

  #endUnwhole(end: UnwholeEnd): void {
    const event = this.#plan.errorEvent(end)
    if (event === null) this.#breakOff(end)
    else this.#endWith(event, end)
  }

  /** Nobody may take a part for the whole. */
  #breakOff(end: UnwholeEnd): void {
    if (this.#over) return
    this.#plan.live.exchange.abort()
    this.#settle(end)
    // In a turn of its own: what was written in this one would be dropped with the end.
    this.#house.clock.after(0, () => {
      if (this.#controller !== null) breakSafely(this.#controller, new Error('the answer broke off'))
      this.#finish()
    })
  }

  #endWith(bytes: Uint8Array, end: RelayEnd): void {
    if (this.#over || this.#last !== null) return
    const finish = (): void => {
      this.#settle(end)
      if (this.#controller !== null) endSafely(this.#controller, [this.#plan.lastComment, bytes])
      this.#finish()
    }
    if (this.#writesPending === 0) finish()
    else this.#last = finish
  }

  #settle(end: RelayEnd): void {
    this.#over = true
    this.#unlisten()
    this.#heartbeat?.stop()
    this.#cancelStall?.()
    this.#cancelLastBytes?.()
    this.#plan.meter.stop()
    this.#plan.ended(end, this.#wasHeldUp)
  }

  #write(bytes: Uint8Array): void {
    const controller = this.#controller
    if (controller === null || bytes.byteLength === 0) return
    const written = controller.write(bytes)
    const flushed = controller.flush()
    this.#heartbeat?.wrote()
    if (written instanceof Promise) this.#pauseUntil(written)
    if (flushed instanceof Promise) this.#pauseUntil(flushed)
  }

  /** A client that does not read what was written before needs no sign of life. */
  #beat(): void {
    if (this.#writesPending === 0) this.#write(HEARTBEAT)
  }

  /** Once the answer is whole and the client has it: a body that has no end holds neither the client nor the slot. */
  #awaitLastBytes(): void {
    const { reply, exchange } = this.#plan.live
    if (this.#over || this.#writesPending > 0 || !reply.closed) return
    this.#cancelLastBytes ??= this.#house.clock.after(LAST_BYTES_MS, () => {
      exchange.abort()
      this.#endWith(NOTHING, { kind: 'completed' })
    })
  }

  /** The client's socket is full: the provider waits too, and the client may not stall for ever. */
  #pauseUntil(taken: Promise<number>): void {
    this.#writesPending++
    if (this.#writesPending === 1) {
      this.#wasHeldUp = true
      this.#plan.live.exchange.pause()
      const stallMs = this.#clientStallMs
      this.#cancelStall = this.#house.clock.after(stallMs, () => this.cancel('client_stall'))
    }
    const go = (): void => {
      this.#writesPending--
      if (this.#writesPending > 0 || this.#over) return
      this.#cancelStall?.()
      this.#cancelStall = null
      if (this.#last !== null) this.#last()
      else {
        this.#plan.live.exchange.resume()
        this.#awaitLastBytes()
      }
    }
    taken.then(go, () => this.cancel('client'))
  }
}

function joined(events: readonly StreamEvent[]): Uint8Array {
  const [only] = events
  if (events.length === 1 && only !== undefined) return only.bytes
  return Buffer.concat(events.map((event) => event.bytes))
}
