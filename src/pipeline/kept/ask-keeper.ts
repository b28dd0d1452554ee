import type { BodyRest, Exchange, ExchangeFailure, ExchangeObserver, ReplyHead, Slot } from '../../agents/index.ts'
import { credentialHeaders } from '../../dialects/index.ts'
import { type Backend, GatewayError, type OperatorCredential } from '../../domain/index.ts'
import { basePath, type CancelTimer } from '../../lib/index.ts'
import { type Call, leaving } from '../call.ts'
import { isSuccess } from '../dispatch/body-kind.ts'
import { unpackedExchange } from '../dispatch/unpacked-exchange.ts'
import { waitInLine } from '../dispatch/wait-in-line.ts'
import type { House } from '../house.ts'
import { leftAfter } from '../not-again.ts'

/** One question to a backend about what it keeps. */
export interface KeeperQuestion {
  readonly backend: Backend
  readonly credential: OperatorCredential | null
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the backend's base URL, and query. */
  readonly target: string
  readonly accept: string
  /** With its content type; null: none. */
  readonly body: { readonly type: string; readonly bytes: Uint8Array; readonly rest?: BodyRest } | null
  /** The answer is not read as a whole but as it comes, where its status says that it is one. */
  readonly isLive: boolean
}

/** Its answer. A live one has a slot, which is given back by who reads it to its end. */
export type KeeperAnswer =
  | { readonly kind: 'whole'; readonly head: ReplyHead; readonly body: Uint8Array }
  | {
      readonly kind: 'live'
      readonly head: ReplyHead
      readonly exchange: Exchange
      readonly slot: Slot
      /** Hands over what came meanwhile, then all that comes. */
      attach(observer: BodyObserver): void
    }

/** Of an exchange, what comes behind its head. */
type BodyObserver = Pick<ExchangeObserver, 'body' | 'end' | 'failure'>

const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Sends it once, on a slot of the backend. Throws what keeps it from being answered: no slot in time, no connection, no end in time, a caller who leaves. */
export async function askKeeper(house: House, call: Call, question: KeeperQuestion): Promise<KeeperAnswer> {
  const { backend } = question
  const slot = await slotAt(house, call, backend)
  let isHandedOn = false
  const asking = begun(house, call, question, slot)
  call.clock.attemptBegins()
  try {
    const answer = await asking.answered
    isHandedOn = answer.kind === 'live'
    return answer
  } finally {
    call.backend = backend.id
    call.clock.attemptEnds(backend.id, asking.exchange.timing())
    if (!isHandedOn) slot.agent.release(slot)
  }
}

/** Nothing is sent for who has left already; and the slot does not outlive a request that cannot even be written. */
function begun(house: House, call: Call, question: KeeperQuestion, slot: Slot): Asking {
  try {
    const stopped = leaving(call)
    if (stopped !== null) throw stopped
    return new Asking(house, call, question, slot)
  } catch (thrown) {
    slot.agent.release(slot)
    throw thrown
  }
}

/** A slot of this backend, once one is free. */
async function slotAt(house: House, call: Call, backend: Backend): Promise<Slot> {
  const agent = house.agents.of(backend)
  const { queueMs } = call.settings.routing
  const slot =
    agent.take() ?? (await waitInLine(house, call, { agents: [agent], waitMs: queueMs, take: (offered) => offered }))
  if (slot !== null) return slot
  throw (
    leaving(call) ??
    new GatewayError('no_capacity', 'The backend that keeps it is full. Please try again.', { retryAfterMs: 1000 })
  )
}

class Asking implements ExchangeObserver {
  readonly answered: Promise<KeeperAnswer>
  readonly exchange: Exchange
  readonly #question: KeeperQuestion
  readonly #slot: Slot
  readonly #resolve: (answer: KeeperAnswer) => void
  readonly #reject: (error: GatewayError) => void
  readonly #cancelTimer: CancelTimer
  readonly #unlisten: () => void
  readonly #pieces: Uint8Array[] = []
  #size = 0
  #head: ReplyHead | null = null
  #isLive = false
  #observer: BodyObserver | null = null
  #early: ((observer: BodyObserver) => void)[] = []

  constructor(house: House, call: Call, question: KeeperQuestion, slot: Slot) {
    const { backend, credential, method, target, accept, body } = question
    this.#question = question
    this.#slot = slot
    const { promise, resolve, reject } = Promise.withResolvers<KeeperAnswer>()
    this.answered = promise
    this.#resolve = resolve
    this.#reject = reject
    const { limits } = backend
    const request = {
      method,
      target: basePath(backend.baseUrl) + target,
      headers: [
        ['accept', accept],
        ['accept-encoding', 'identity'],
        ['user-agent', 'anyrouter'],
        ...(body === null ? [] : [['content-type', body.type] as const]),
        ...credentialHeaders(backend.dialects, credential?.secret ?? null),
      ],
      body: body?.bytes ?? (method === 'POST' ? NOTHING : null),
      ...(body?.rest === undefined ? {} : { rest: body.rest }),
      limits: { connectMs: limits.connectMs, idleMs: limits.idleMs },
      resend: method === 'GET' ? backend.resend : 'never',
    } as const
    this.exchange = unpackedExchange(slot.agent, slot, request, this)
    this.#cancelTimer = house.clock.after(limits.totalMs, () =>
      this.#fail(new GatewayError('provider_timeout', 'The provider did not answer in time.')),
    )
    this.#unlisten = call.leave.onFire(() => this.#fail(this.#left(call)))
  }

  head(head: ReplyHead): void {
    this.#head = head
    const isEmpty = head.headers.some(([name, value]) => name === 'content-length' && value === '0')
    if (!this.#question.isLive || !isSuccess(head) || isEmpty) return
    this.#isLive = true
    this.#stop()
    const attach = (observer: BodyObserver): void => {
      this.#observer = observer
      this.exchange.resume()
      for (const tell of this.#early.splice(0)) tell(observer)
    }
    this.#resolve({ kind: 'live', head, exchange: this.exchange, slot: this.#slot, attach })
    this.exchange.pause() // until it is attached
  }

  body(bytes: Uint8Array): void {
    if (this.#isLive) {
      this.#tell((observer) => observer.body(bytes))
      return
    }
    this.#pieces.push(bytes)
    this.#size += bytes.byteLength
    if (this.#size > BODY_BYTES_MAX)
      this.#fail(new GatewayError('provider_failed', 'The provider sent an answer that is too large.'))
  }

  end(): void {
    if (this.#isLive) this.#tell((observer) => observer.end())
    else if (this.#head !== null) {
      this.#stop()
      this.#resolve({ kind: 'whole', head: this.#head, body: Buffer.concat(this.#pieces) })
    }
  }

  failure(failure: ExchangeFailure): void {
    if (this.#isLive) this.#tell((observer) => observer.failure(failure))
    else if (failure.kind === 'unsent')
      this.#fail(
        new GatewayError('provider_unreachable', 'The backend that keeps it could not be reached. Please try again.', {
          internal: failure.message,
        }),
      )
    else
      this.#fail(
        new GatewayError('provider_failed', 'The provider broke off its answer.', { internal: failure.message }),
      )
  }

  #tell(tell: (observer: BodyObserver) => void): void {
    if (this.#observer === null) this.#early.push(tell)
    else tell(this.#observer)
  }

  #fail(error: GatewayError): void {
    this.#stop()
    this.exchange.abort()
    this.#reject(error)
  }

  /** Who reads or deletes may do so twice. */
  #left(call: Call): GatewayError {
    return leftAfter(call, this.#question.method === 'POST' && this.exchange.sentCompletely) ?? LEFT
  }

  #stop(): void {
    this.#cancelTimer()
    this.#unlisten()
  }
}

const NOTHING = new Uint8Array(0)
const LEFT = new GatewayError('client_closed_request', 'The caller left before the answer.')
