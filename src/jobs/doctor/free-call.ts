import {
  type Agent,
  type Exchange,
  type ExchangeFailure,
  type ExchangeObserver,
  modelsRequest,
  type OutgoingRequest,
  type ReplyHead,
} from '../../agents/index.ts'
import { ownCallHeaders, readAnyError } from '../../dialects/index.ts'
import type { Backend, ExchangeTiming } from '../../domain/index.ts'
import type { Clock } from '../../lib/index.ts'

/** What came of one free request. */
export type FreeCallEnd =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** What the provider says of an error; empty for none. */
      readonly words: string
      /** Unix time in its Date header, and ours in the middle of the exchange; null without one. */
      readonly dateMs: { readonly theirs: number; readonly ours: number } | null
      readonly tookUs: number
      readonly timing: ExchangeTiming
    }
  | { readonly kind: 'unanswered'; readonly reason: UnansweredReason; readonly message: string }

export type UnansweredReason = ExchangeFailure['reason'] | 'busy' | 'timeout'

export interface FreeCall {
  readonly backend: Backend
  /** Of the backend, with a slot to spare. */
  readonly agent: Agent
  readonly secret: string | null
  readonly clock: Clock
  readonly limitMs: number
}

const BODY_BYTES_KEPT = 64 * 1024
const WORDS_MAX = 200

/** Asks a backend for its list of models, which costs nothing anywhere, and reads the answer to its end. Never rejects, never longer than the limit. */
export function freeCall(call: FreeCall): Promise<FreeCallEnd> {
  const { agent } = call
  const slot = agent.take()
  if (slot === null)
    return Promise.resolve({ kind: 'unanswered', reason: 'busy', message: 'all slots of the backend are taken' })
  return new Promise((resolve) => {
    let exchange: Exchange | null = null
    const cancelTimer = call.clock.after(call.limitMs, () => {
      exchange?.abort()
      end({ kind: 'unanswered', reason: 'timeout', message: `no whole answer within ${call.limitMs / 1000} s` })
    })
    const end = (came: FreeCallEnd): void => {
      cancelTimer()
      agent.release(slot)
      resolve(came)
    }
    const reading = new Reading(call, () => exchange, end)
    exchange = agent.send(slot, requestOf(call), reading)
  })
}

const requestOf = ({ backend, secret, limitMs }: FreeCall): OutgoingRequest => ({
  ...modelsRequest(backend, ownCallHeaders(backend.dialects, secret)),
  resend: 'stale',
  limits: { connectMs: Math.min(backend.limits.connectMs, limitMs), idleMs: limitMs },
})

/** Reads one answer: its head, and as much of its body as says what is wrong. */
class Reading implements ExchangeObserver {
  readonly #call: FreeCall
  readonly #exchange: () => Exchange | null
  readonly #end: (end: FreeCallEnd) => void
  readonly #startedUs: number
  readonly #startedMs: number
  readonly #pieces: Uint8Array[] = []
  #size = 0
  #head: ReplyHead | null = null
  #headMs = 0

  constructor(call: FreeCall, exchange: () => Exchange | null, end: (end: FreeCallEnd) => void) {
    this.#call = call
    this.#exchange = exchange
    this.#end = end
    this.#startedUs = call.clock.monotonicUs()
    this.#startedMs = call.clock.wallMs()
  }

  head(head: ReplyHead): void {
    this.#head = head
    this.#headMs = this.#call.clock.wallMs()
  }

  body(bytes: Uint8Array): void {
    if (this.#size < BODY_BYTES_KEPT) this.#pieces.push(bytes)
    this.#size += bytes.byteLength
  }

  end(): void {
    const exchange = this.#exchange()
    if (this.#head === null || exchange === null) return
    const { status, headers } = this.#head
    const theirs = Date.parse(headers.find(([name]) => name === 'date')?.[1] ?? '')
    this.#end({
      kind: 'answered',
      status,
      words: status < 400 ? '' : this.#words(status),
      dateMs: Number.isNaN(theirs) ? null : { theirs, ours: (this.#startedMs + this.#headMs) / 2 },
      tookUs: this.#call.clock.monotonicUs() - this.#startedUs,
      timing: exchange.timing(),
    })
  }

  failure({ reason, message }: ExchangeFailure): void {
    this.#end({ kind: 'unanswered', reason, message })
  }

  #words(status: number): string {
    const { message } = readAnyError(status, Buffer.concat(this.#pieces))
    return message.length > WORDS_MAX ? `${message.slice(0, WORDS_MAX)}…` : message
  }
}
