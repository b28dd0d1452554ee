import type { Admission } from '../accounts/index.ts'
import type { SurfaceName } from '../dialects/index.ts'
import {
  type AttemptRecord,
  type CancelledBy,
  type Candidate,
  GatewayError,
  type OperationName,
  type Skip,
  type Stickiness,
} from '../domain/index.ts'
import type { SessionPlaces } from '../health/index.ts'
import { timeOrderedId } from '../lib/index.ts'
import type { BodyPlace } from './body-room.ts'
import type { ContentCapture } from './content-capture.ts'
import type { House, PipelineSettings } from './house.ts'
import type { RankBook } from './rank-book.ts'
import { StageClock } from './timing.ts'
import type { Upload } from './upload.ts'

/** What the edge hands in: one HTTP request, not yet read. */
export interface Arrival {
  readonly operation: OperationName
  /** The form in which it is answered. */
  readonly surface: SurfaceName
  readonly request: Request
  /** The caller's address, for what is allowed on loopback alone. */
  remoteAddress(): string | null
  /** Lifts the server's own limit on silence, for as long as the model may think. */
  liftIdleLimit(): void
  /** Puts it back: it sticks to the client's connection. */
  restoreIdleLimit(): void
}

/** One request on its way: its ids, its clock, and what is known of it so far for record and log. Steps write to it; but for its admission, nothing is decided from it. */
export interface Call {
  readonly operation: OperationName
  readonly arrival: Arrival
  readonly requestId: string
  readonly generationId: string
  readonly clientRequestId: string | null
  readonly startedAtMs: number
  readonly clock: StageClock
  readonly leave: Leave
  /** As they were when it came: a reload changes nothing for it. */
  readonly settings: PipelineSettings
  /** Its place within the limits of its key; null for a key without any. It is given back when the request is over. */
  admission: Admission | null
  /** It asked how it was routed: what it may be told. Null when it did not. */
  explain: Explain | null
  accountId: string | null
  keyId: string | null
  modelAsked: string | null
  /** Models that it names to fall back on. */
  fallbacks: readonly string[]
  model: string | null
  /** The router model it named; null: a model. */
  router: string | null
  backend: string | null
  stream: boolean
  isReceiving: boolean
  /** What its body takes of memory; null: too little to be counted. */
  place: BodyPlace | null
  /** Its account, or its key, has nothing of it kept but counts and money. */
  keepsNothing: boolean
  /** What is kept of what it says and is answered; null: nothing. */
  content: ContentCapture | null
  /** Why the answer ended, in the provider's word. */
  finishReason: string | null
  /** Who may be tried, in order. */
  plan: readonly Candidate[]
  skips: readonly Skip[]
  /** Why each in the plan has its place; null: nobody asked. */
  ranks: RankBook | null
  attempts: AttemptRecord[]
  /** The conversation it belongs to, and where that stays; null: to none. */
  session: CallSession | null
  stickiness: Stickiness | null
  /** The rest of its body, while somebody may want it. */
  upload: Pick<Upload, 'cancel'> | null
}

export interface CallSession {
  readonly id: string
  readonly places: SessionPlaces
}

/** How much a caller is told of its route. */
export interface Explain {
  /** It showed a management key that may read: it is told the evidence of skips, and which credentials were used. */
  readonly withEvidence: boolean
}

/** Why work on a request must stop, once; whoever works on it listens. */
export interface Leave {
  readonly reason: CancelledBy | null
  fire(reason: CancelledBy): void
  /** Calls back when it fires, at once if it has; the answer stops listening. */
  onFire(listener: (reason: CancelledBy) => void): () => void
}

const CLIENT_ID_MAX = 128
const NO_NAMES: readonly string[] = []

/** Opens a call: the clock starts here. */
export function openCall(house: House, arrival: Arrival): Call {
  const clock = new StageClock(house.clock)
  const startedAtMs = house.clock.wallMs()
  const id = timeOrderedId(startedAtMs, house.random)
  const leave = createLeave()
  const { request } = arrival
  if (request.signal.aborted) leave.fire('client')
  else request.signal.onabort = () => leave.fire('client') // a third of the cost of a listener, and nobody else listens
  return {
    operation: arrival.operation,
    arrival,
    requestId: `req_${id}`,
    generationId: `gen-${id}`,
    clientRequestId: request.headers.get('x-request-id')?.slice(0, CLIENT_ID_MAX) ?? null,
    startedAtMs,
    clock,
    leave,
    settings: house.settings(),
    admission: null,
    explain: null,
    accountId: null,
    keyId: null,
    modelAsked: null,
    fallbacks: NO_NAMES,
    model: null,
    router: null,
    backend: null,
    stream: false,
    isReceiving: false,
    place: null,
    keepsNothing: false,
    content: null,
    finishReason: null,
    plan: [],
    skips: [],
    ranks: null,
    attempts: [],
    session: null,
    stickiness: null,
    upload: null,
  }
}

/** A latch that fires once. */
export const createLeave = (): Leave => new Latch()

class Latch implements Leave {
  reason: CancelledBy | null = null
  readonly #listeners: ((reason: CancelledBy) => void)[] = []

  fire(reason: CancelledBy): void {
    if (this.reason !== null) return
    this.reason = reason
    for (const listener of this.#listeners.splice(0)) listener(reason)
  }

  onFire(listener: (reason: CancelledBy) => void): () => void {
    if (this.reason !== null) {
      listener(this.reason)
      return () => {}
    }
    const listeners = this.#listeners
    listeners.push(listener)
    return () => {
      const at = listeners.indexOf(listener)
      if (at >= 0) listeners.splice(at, 1)
    }
  }
}

/** The error of a call that must stop; null while it need not. */
export function leaving({ leave }: Call): GatewayError | null {
  switch (leave.reason) {
    case null:
      return null
    case 'storage':
      return unwritable()
    case 'shutdown':
      return shuttingDown()
    case 'client':
    case 'client_stall':
    case 'credit':
      return new GatewayError('client_closed_request', 'The caller left before the answer.')
  }
}

/** The refusal while the gateway stops. */
export const shuttingDown = (): GatewayError =>
  new GatewayError('shutting_down', 'The gateway is shutting down. Please try again.', {
    retryAfterMs: 1000,
    headers: { connection: 'close' },
  })

/** The refusal of a request whose hold the disk does not take. */
export const unwritable = (): GatewayError =>
  new GatewayError(
    'storage_unavailable',
    'The ledger cannot be written. Nothing was charged. Please try again later.',
    { retryable: false },
  )
