import type { Exchange, ExchangeFailure, ExchangeObserver, ReplyHead, Slot } from '../../agents/index.ts'
import {
  type Dialect,
  dialectOf,
  type Reply,
  type ReplyStream,
  type ReplyView,
  type StreamEvent,
} from '../../dialects/index.ts'
import { type CancelledBy, errorMarks, type FailedReason, GatewayError, type Outcome } from '../../domain/index.ts'
import type { CancelTimer } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate, LiveObserver, LiveStream, PreparedRequest } from '../handover.ts'
import type { House } from '../house.ts'
import { replyView } from '../reply-view.ts'
import { classify } from './classify.ts'
import { createGate, type Gate } from './gate.ts'
import { unpackedExchange } from './unpacked-exchange.ts'

/** How one exchange ended, or came to its commit point. */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly status: number; readonly reply: Extract<Reply, { kind: 'answer' }> }
  | { readonly kind: 'streaming'; readonly status: number; readonly live: LiveStream }
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly sent: boolean }

export interface AttemptPlan {
  readonly candidate: AffordableCandidate
  readonly prepared: PreparedRequest
  /** The model id that the caller sees. */
  readonly model: string
  readonly credential: { readonly id: string; readonly secret: string } | null
  readonly slot: Slot
}

const ERROR_BYTES_MAX = 64 * 1024
const PLAIN_BYTES_MAX = 64 * 1024 * 1024
const EARLY_MAX = 64 // reads buffered while the hold is being written: past that the provider waits
const SUCCESS = 200
const USER_AGENT = 'anyrouter'

/** Sends the request once and watches the answer up to its end or its commit point. Rejects only for a bug. The slot stays the caller's. */
export function runAttempt(
  house: House,
  call: Call,
  plan: AttemptPlan,
): { exchange: Exchange; ended: Promise<AttemptEnd> } {
  const attempt = new Attempt(house, call, plan)
  return { exchange: attempt.exchange, ended: attempt.ended }
}

/** The state of one exchange: what has come so far, and who listens. */
class Attempt implements ExchangeObserver {
  readonly ended: Promise<AttemptEnd>
  readonly exchange: Exchange
  readonly #house: House
  readonly #call: Call
  readonly #dialect: Dialect
  readonly #plan: AttemptPlan
  readonly #cancelTimer: CancelTimer
  readonly #unlisten: () => void
  readonly #gate: Gate = createGate()
  readonly #resolve: (end: AttemptEnd) => void
  readonly #reject: (bug: unknown) => void
  #head: ReplyHead | null = null
  #reply: ReplyStream | null = null
  #pieces: Uint8Array[] = []
  #size = 0
  #live: LiveObserver | null = null
  #early: ((observer: LiveObserver) => void)[] = [] // what came between the gate's opening and the relay's attaching
  #phase: 'waiting' | 'live' | 'over' = 'waiting'

  constructor(house: House, call: Call, plan: AttemptPlan) {
    this.#house = house
    this.#call = call
    this.#plan = plan
    this.#dialect = dialectOf(plan.prepared.dialect)
    const { promise, resolve, reject } = Promise.withResolvers<AttemptEnd>()
    this.ended = promise
    this.#resolve = resolve
    this.#reject = reject
    const { slot } = plan
    this.exchange = unpackedExchange(slot.agent, slot, outgoing(plan, this.#dialect), this)
    this.#cancelTimer = this.#limitTime(call)
    this.#unlisten = call.leave.onFire((reason) => this.#cancel(reason))
  }

  head(head: ReplyHead): void {
    this.#head = head
    if (!isSuccess(head) || !this.#plan.prepared.facts.stream || !mayStream(head)) return
    this.#reply = this.#dialect.openStream(this.#view())
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
    if (this.#head !== null && isSuccess(this.#head)) {
      if (this.#size > PLAIN_BYTES_MAX)
        this.#give(failed('framing', `the answer is larger than ${PLAIN_BYTES_MAX} bytes`))
    } else if (this.#size > ERROR_BYTES_MAX) this.#judgeWhole()
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
    const view = this.#gate.see(events)
    if (view.kind === 'error') this.#give(failed('error_in_answer', errorMarks(view.error)))
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
    const live = { exchange: this.exchange, reply, held: this.#gate.held, attach }
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
    if (!isSuccess(head)) {
      this.#give(classify(head, this.#dialect.readError(head.status, body), this.#house.clock.wallMs()))
      return
    }
    const { facts } = this.#plan.prepared
    const reply = this.#dialect.readReply(body, this.#view())
    if (reply.kind === 'error') this.#give(failed('error_in_answer', errorMarks(reply.error)))
    else if (reply.kind === 'not_an_answer') this.#give(failed('not_an_answer', reply.message))
    else if (facts.stream) this.#give(failed('not_an_answer', 'a plain answer came where a stream was asked for'))
    else {
      this.#phase = 'over'
      this.#stopWatching()
      this.#resolve({ kind: 'answered', status: head.status, reply })
    }
  }

  #view(): ReplyView {
    const { candidate, prepared, model } = this.#plan
    return replyView(this.#house, this.#call, candidate, prepared, model)
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
    this.#unlisten()
  }

  /** One timer: what is left of the request's total time, and for a stream the time to its first content if that is shorter. */
  #limitTime(call: Call): CancelTimer {
    const { limits } = this.#plan.candidate.offer.backend
    const totalLeftMs = Math.max(1, limits.totalMs - call.clock.elapsedUs() / 1000)
    const byContent = this.#plan.prepared.facts.stream && limits.firstContentMs < totalLeftMs
    return this.#house.clock.after(byContent ? limits.firstContentMs : totalLeftMs, () => {
      if (byContent) this.#give(failed('first_content_timeout', `no content within ${limits.firstContentMs} ms`))
      else this.#give(failed('total_timeout', `no answer within ${limits.totalMs} ms in all`))
    })
  }
}

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

/** Any 2xx: what serves and what is paid is decided by the body. */
const isSuccess = ({ status }: ReplyHead): boolean => status >= SUCCESS && status < 300

/** A stream is asked for, and the head does not say that something else came. */
function mayStream({ headers }: ReplyHead): boolean {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return !/^\s*(application\/json|text\/html)/i.test(type)
}

function outgoing({ candidate, prepared, credential }: AttemptPlan, dialect: Dialect) {
  const { offer, outputLimit } = candidate
  const { backend } = offer
  const { facts } = prepared
  return {
    method: 'POST' as const,
    target: pathOf(backend.baseUrl) + dialect.path(facts.operation),
    headers: [
      ['content-type', 'application/json'],
      ['accept', facts.stream ? 'text/event-stream' : 'application/json'],
      ['accept-encoding', 'identity'],
      ['user-agent', USER_AGENT],
      ...dialect.credentialHeaders(credential?.secret ?? null),
    ] as const,
    body: dialect.writeRequest(facts, { model: offer.providerModel, askUsage: facts.stream, outputLimit }),
    limits: { connectMs: backend.limits.connectMs, idleMs: backend.limits.idleMs },
  }
}

/** The path of a base URL, which has no query and no slash at its end: `/v1` of `https://host/v1`. */
function pathOf(baseUrl: string): string {
  const at = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2)
  return at < 0 ? '' : baseUrl.slice(at)
}
