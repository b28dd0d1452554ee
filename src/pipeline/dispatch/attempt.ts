import type { Exchange, ExchangeFailure, ExchangeObserver, ReplyHead } from '../../agents/index.ts'
import {
  type Dialect,
  dialectOf,
  type Reply,
  type ReplyStream,
  type ReplyView,
  type StreamEvent,
  withoutMark,
} from '../../dialects/index.ts'
import { type CancelledBy, type FailedReason, GatewayError, type Outcome } from '../../domain/index.ts'
import type { CancelTimer } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { LiveObserver, LiveStream } from '../handover.ts'
import type { House } from '../house.ts'
import { replyView } from '../reply-view.ts'
import { bodyKind, isEvents, isSuccess, mediaTypeOf, mediumKind } from './body-kind.ts'
import { createGate, type Gate } from './gate.ts'
import { judgeWhole, within } from './judge-whole.ts'
import { outgoingRequest, type Sending } from './outgoing-request.ts'
import { unpackedExchange } from './unpacked-exchange.ts'

/** How one exchange ended, or came to its commit point. */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly status: number; readonly reply: Extract<Reply, { kind: 'answer' }> }
  | { readonly kind: 'streaming'; readonly status: number; readonly live: LiveStream }
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly sent: boolean }

const ERROR_BYTES_MAX = 64 * 1024
const PLAIN_BYTES_MAX = 64 * 1024 * 1024
const EARLY_MAX = 64 // reads buffered while the hold is being written: past that the provider waits
const SUCCESS = 200
const ID_CHARS_MAX = 128
const ID_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'request-id'])

/** Sends the request once and watches the answer up to its end or its commit point. Rejects only for a bug. The slot stays the caller's. */
export function runAttempt(
  house: House,
  call: Call,
  plan: Sending,
): Pick<Attempt, 'exchange' | 'ended' | 'providerRequestId'> {
  return new Attempt(house, call, plan)
}

/** The state of one exchange: what has come so far, and who listens. */
class Attempt implements ExchangeObserver {
  readonly ended: Promise<AttemptEnd>
  readonly exchange: Exchange
  readonly #house: House
  readonly #call: Call
  readonly #dialect: Dialect
  readonly #plan: Sending
  readonly #cancelTimer: CancelTimer
  readonly #unlisten: (() => void) | null = null // while there is none the caller may have left already
  #gate: Gate | null = null
  readonly #resolve: (end: AttemptEnd) => void
  readonly #reject: (bug: unknown) => void
  #head: ReplyHead | null = null
  #reply: ReplyStream | null = null
  #pieces: Uint8Array[] = []
  #size = 0
  #live: LiveObserver | null = null
  #early: ((observer: LiveObserver) => void)[] = [] // what came between the gate's opening and the relay's attaching
  #isDocument = false // what came for a stream is JSON or HTML
  #phase: 'waiting' | 'live' | 'over' = 'waiting'

  constructor(house: House, call: Call, plan: Sending) {
    this.#house = house
    this.#call = call
    this.#plan = plan
    this.#dialect = dialectOf(plan.prepared.dialect)
    const { promise, resolve, reject } = Promise.withResolvers<AttemptEnd>()
    this.ended = promise
    this.#resolve = resolve
    this.#reject = reject
    const { slot } = plan
    this.exchange = unpackedExchange(slot.agent, slot, outgoingRequest(plan, this.#dialect), this)
    this.#cancelTimer = this.#limitTime(call)
    this.#unlisten = call.leave.onFire((reason) => this.#cancel(reason))
  }

  /** The provider's own id of the request; null while it told none. */
  get providerRequestId(): string | null {
    for (const [name, value] of this.#head?.headers ?? []) if (ID_HEADERS.has(name)) return value.slice(0, ID_CHARS_MAX)
    return null
  }

  head(head: ReplyHead): void {
    this.#head = head
  }

  body(bytes: Uint8Array): void {
    try {
      this.#readBody(bytes)
    } catch (bug) {
      this.#breakOff(bug)
    }
  }

  end(): void {
    try {
      this.#readEnd()
    } catch (bug) {
      this.#breakOff(bug)
    }
  }

  failure(failure: ExchangeFailure): void {
    if (this.#phase === 'live')
      this.#tell((observer) => observer.broken(failure.kind === 'failed' ? failure.reason : 'reset', failure.message))
    else if (this.#plan.prepared.upload?.fault) this.#give(SENDER_AT_FAULT)
    else if (failure.kind === 'unsent') this.#give({ kind: 'unsent', reason: failure.reason, message: failure.message })
    else this.#give(failed(failure.reason, failure.message))
  }

  #readBody(bytes: Uint8Array): void {
    if (this.#phase === 'over') return
    if (this.#reply !== null) {
      this.#take(this.#reply, (reply) => reply.push(bytes))
      return
    }
    this.#pieces.push(bytes)
    this.#size += bytes.byteLength
    if (this.#beginsStream(bytes)) {
      const reply = this.#dialect.openStream(this.#view())
      this.#reply = reply
      for (const piece of this.#pieces.splice(0)) this.#take(reply, () => reply.push(piece))
      return
    }
    if (this.#head !== null && isSuccess(this.#head)) {
      if (this.#size > PLAIN_BYTES_MAX)
        this.#give(failed('framing', `the answer is larger than ${PLAIN_BYTES_MAX} bytes`))
    } else if (this.#size > ERROR_BYTES_MAX) this.#judgeWhole()
  }

  /** A stream or bytes of a medium are asked for, and what came is none of the whole documents that come in their place. */
  #beginsStream(bytes: Uint8Array): boolean {
    const { stream, isBinary, isOpen } = this.#plan.prepared.facts
    if (isOpen && !stream) return this.#head !== null && isSuccess(this.#head) && isEvents(this.#head)
    if ((!stream && !isBinary) || this.#isDocument || this.#head === null || !isSuccess(this.#head)) return false
    const kind = isBinary ? mediumKind(this.#head) : bodyKind(bytes)
    this.#isDocument = kind === 'document'
    return kind === 'events' || kind === 'medium'
  }

  #readEnd(): void {
    if (this.#phase === 'over') return
    if (this.#reply === null) {
      this.#judgeWhole()
      return
    }
    this.#take(this.#reply, (reply) => reply.end())
    if (this.#phase === 'live') this.#tell((observer) => observer.end())
    else if (this.#phase === 'waiting') this.#give(failed('ended_early', 'the stream ended without any content'))
  }

  /** A bug of ours in the reading of an answer: nobody is left waiting until a limit of time. */
  #breakOff(bug: unknown): void {
    this.exchange.abort()
    if (this.#phase === 'live') {
      this.#tell((observer) => observer.broken('framing', `a bug of the gateway: ${bug}`))
      return
    }
    this.#phase = 'over'
    this.#stopWatching()
    this.#reject(bug)
  }

  /** Feeds the stream, and the gate while it is closed. */
  #take(reply: ReplyStream, read: (reply: ReplyStream) => readonly StreamEvent[]): void {
    const events = readSafely(reply, read)
    if (events instanceof GatewayError) {
      this.exchange.abort() // first: whoever is told gives the slot back
      if (this.#phase === 'live') this.#tell((observer) => observer.broken('framing', events.message))
      else this.#give(failed('framing', events.message))
      return
    }
    if (this.#phase === 'live') {
      if (events.length > 0) this.#tell((observer) => observer.events(events))
      return
    }
    this.#gate ??= createGate()
    const view = this.#gate.see(events)
    if (view.kind === 'error') this.#give(within(view.error, reply.usage))
    else if (view.kind === 'open') this.#openLive(reply)
  }

  #openLive(reply: ReplyStream): void {
    this.#phase = 'live'
    this.#stopWatching()
    const attach = (observer: LiveObserver): void => {
      this.#live = observer
      const early = this.#early
      this.#early = []
      if (early.length >= EARLY_MAX) this.exchange.resume() // first: the observer may want a pause of its own
      for (const tell of early) tell(observer)
    }
    const mediaType = this.#plan.prepared.facts.isBinary && this.#head !== null ? mediaTypeOf(this.#head) : null
    const live = { exchange: this.exchange, reply, mediaType, held: this.#gate?.held ?? [], attach }
    this.#resolve({ kind: 'streaming', status: this.#head?.status ?? SUCCESS, live })
  }

  #tell(tell: (observer: LiveObserver) => void): void {
    if (this.#live !== null) {
      tell(this.#live)
      return
    }
    this.#early.push(tell)
    if (this.#early.length === EARLY_MAX) this.exchange.pause()
  }

  /** The whole body is here (or as much of an error as is read): what does it say? */
  #judgeWhole(): void {
    const head = this.#head
    const [only] = this.#pieces
    const body = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces)
    if (head === null) return
    const reading = { dialect: this.#dialect, view: this.#view(), nowMs: this.#house.clock.wallMs() }
    const judged = judgeWhole(head, body, reading)
    if (judged.kind !== 'answer') this.#give(judged)
    else if (this.#plan.prepared.facts.stream) this.#goOnAsStream(withoutMark(body))
    else {
      this.#phase = 'over'
      this.#stopWatching()
      this.#resolve({ kind: 'answered', status: head.status, reply: judged })
    }
  }

  /** A whole answer came where a stream was asked for: it is read as the stream that says the same. */
  #goOnAsStream(answer: Uint8Array): void {
    const view = this.#view()
    this.#reply = this.#dialect.openStream(view)
    this.#take(this.#reply, (reply) => reply.push(this.#dialect.streamOf(answer, view.operation)))
    this.#readEnd()
  }

  #view(): ReplyView {
    const { candidate, prepared } = this.#plan
    return replyView(this.#house, this.#call, candidate, prepared, candidate.offer.model)
  }

  #cancel(by: CancelledBy): void {
    if (this.#phase !== 'waiting') return
    this.#give({ kind: 'cancelled', by, sent: this.exchange.sentCompletely })
  }

  #give(outcome: Outcome): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#stopWatching()
    const sent = outcome.kind !== 'unsent' && this.exchange.sentCompletely
    this.exchange.abort() // nothing happens when it has ended
    this.#resolve({ kind: 'ended', outcome, sent })
  }

  #stopWatching(): void {
    this.#cancelTimer()
    this.#unlisten?.()
  }

  /** One timer: what is left of the request's total time, and for a stream the time to its first content if that is shorter. */
  #limitTime(call: Call): CancelTimer {
    const { limits } = this.#plan.candidate.offer
    const totalLeftMs = Math.max(1, limits.totalMs - call.clock.elapsedUs() / 1000)
    const { facts, upload } = this.#plan.prepared
    const byContent =
      (facts.stream || facts.isBinary === true) && upload === undefined && limits.firstContentMs < totalLeftMs
    return this.#house.clock.after(byContent ? limits.firstContentMs : totalLeftMs, () => {
      if (upload?.blameSender()) this.#give(SENDER_AT_FAULT)
      else if (byContent) this.#give(failed('first_content_timeout', `no content within ${limits.firstContentMs} ms`))
      else this.#give(failed('total_timeout', `no answer within ${limits.totalMs} ms in all`))
    })
  }
}

/** Of a body that was to be passed on: the provider is not to blame. */
const SENDER_AT_FAULT: Outcome = { kind: 'cancelled', by: 'client', sent: false }

function failed(reason: FailedReason, message: string): Outcome {
  return { kind: 'failed', reason, status: null, message }
}

function readSafely(
  reply: ReplyStream,
  read: (reply: ReplyStream) => readonly StreamEvent[],
): readonly StreamEvent[] | GatewayError {
  try {
    return read(reply)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
