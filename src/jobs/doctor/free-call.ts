import {
  type Agent,
  type ExchangeFailure,
  modelsRequest,
  type OutgoingRequest,
  type WholeAnswer,
  wholeAnswer,
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

const BODY_BYTES_MAX = 16 * 1024 * 1024
const BODY_BYTES_READ = 64 * 1024 // of an error
const WORDS_MAX = 200

/** Asks a backend for its list of models, which costs nothing anywhere, and reads the answer to its end. Never longer than the limit. */
export async function freeCall(call: FreeCall): Promise<FreeCallEnd> {
  const { agent, clock, limitMs } = call
  const slot = agent.take()
  if (slot === null) return { kind: 'unanswered', reason: 'busy', message: 'all slots of the backend are taken' }
  const startedMs = clock.wallMs()
  try {
    const bounds = { clock, totalMs: limitMs, bodyBytesMax: BODY_BYTES_MAX }
    const answer = await wholeAnswer((observer) => agent.send(slot, requestOf(call), observer), bounds)
    if (answer.kind === 'answer') return answeredBy(answer, startedMs)
    const { message } = answer
    return { kind: 'unanswered', reason: answer.kind === 'given_up' ? 'timeout' : answer.reason, message }
  } finally {
    agent.release(slot)
  }
}

const requestOf = ({ backend, secret, limitMs }: FreeCall): OutgoingRequest => ({
  ...modelsRequest(backend, ownCallHeaders(backend.dialects, secret)),
  resend: 'stale',
  limits: { connectMs: Math.min(backend.limits.connectMs, limitMs), idleMs: limitMs },
})

function answeredBy({ head, body, headUs, tookUs, timing }: WholeAnswer, startedMs: number): FreeCallEnd {
  const { status, headers } = head
  const theirs = Date.parse(headers.find(([name]) => name === 'date')?.[1] ?? '')
  return {
    kind: 'answered',
    status,
    words: status < 400 ? '' : wordsOf(status, body),
    dateMs: Number.isNaN(theirs) ? null : { theirs, ours: startedMs + headUs / 2000 },
    tookUs,
    timing,
  }
}

function wordsOf(status: number, body: Uint8Array): string {
  const { message } = readAnyError(status, body.subarray(0, BODY_BYTES_READ))
  return message.length > WORDS_MAX ? `${message.slice(0, WORDS_MAX)}…` : message
}
