import type {
  Agent,
  Exchange,
  ExchangeFailure,
  ExchangeObserver,
  OutgoingRequest,
  ReplyHead,
  Slot,
} from '../../agents/index.ts'
import type { ExchangeTiming } from '../../domain/index.ts'
import { type PackedEncoding, Unpacker, type UnpackSink } from '../../lib/index.ts'
import { isSuccess } from './body-kind.ts'

/**
 * Sends a request as `agent.send` does; an answer that comes encoded, though `identity` was asked for, is reported unpacked and without
 * the headers that told of its encoding. One that cannot be unpacked is a failure; when its status is an error already, it is an answer
 * that ends there: the status says what matters.
 */
export function unpackedExchange(
  agent: Agent,
  slot: Slot,
  request: OutgoingRequest,
  observer: ExchangeObserver,
): Exchange {
  return new UnpackedExchange(agent, slot, request, observer)
}

class UnpackedExchange implements Exchange, ExchangeObserver, UnpackSink {
  readonly #observer: ExchangeObserver
  readonly #exchange: Exchange
  #unpacker: Unpacker | null = null
  #isSuccess = false
  #failure: ExchangeFailure | null = null // waits until what came before it is unpacked
  #isOver = false
  #isPaused = false // by the observer
  #isFull = false // the unpacker takes no more

  constructor(agent: Agent, slot: Slot, request: OutgoingRequest, observer: ExchangeObserver) {
    this.#observer = observer
    this.#exchange = agent.send(slot, request, this)
  }

  // What the observer does

  get sentCompletely(): boolean {
    return this.#exchange.sentCompletely
  }

  timing(): ExchangeTiming {
    return this.#exchange.timing()
  }

  pause(): void {
    this.#isPaused = true
    this.#unpacker?.pause()
    this.#exchange.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#unpacker?.resume()
    if (!this.#isFull) this.#exchange.resume()
  }

  abort(): void {
    this.#isOver = true
    this.#unpacker?.stop()
    this.#exchange.abort()
  }

  // What the agent reports

  head(head: ReplyHead): void {
    const encoding = encodingOf(head)
    if (encoding === null) {
      this.#observer.head(head)
      return
    }
    this.#isSuccess = isSuccess(head)
    const known = ENCODINGS.get(encoding)
    if (known !== undefined) this.#unpacker = new Unpacker(known, this)
    this.#observer.head({ status: head.status, headers: head.headers.filter(([name]) => !OF_ENCODING.has(name)) })
    if (known === undefined && !this.#isOver) this.broken(`the body's encoding is none that is read: ${encoding}`)
  }

  body(bytes: Uint8Array): void {
    if (this.#unpacker === null) {
      this.#observer.body(bytes)
      return
    }
    if (this.#unpacker.push(bytes) || this.#isOver) return
    this.#isFull = true
    this.#exchange.pause()
  }

  end(): void {
    if (this.#unpacker === null) this.#observer.end()
    else this.#unpacker.finish()
  }

  failure(failure: ExchangeFailure): void {
    if (this.#unpacker === null) {
      this.#observer.failure(failure)
      return
    }
    this.#failure = failure
    this.#unpacker.finish()
  }

  // What the unpacker reports

  unpacked(bytes: Uint8Array): void {
    this.#observer.body(bytes)
  }

  ready(): void {
    this.#isFull = false
    if (!this.#isPaused) this.#exchange.resume()
  }

  complete(): void {
    this.#isOver = true
    if (this.#failure === null) this.#observer.end()
    else this.#observer.failure(this.#failure)
  }

  broken(message: string): void {
    const sent = this.#exchange.sentCompletely
    this.abort()
    if (this.#failure !== null) this.#observer.failure(this.#failure)
    else if (this.#isSuccess) this.#observer.failure({ kind: 'failed', reason: 'framing', message, sent })
    else this.#observer.end()
  }
}

const ENCODINGS: ReadonlyMap<string, PackedEncoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'], // RFC 9110, 8.4.1.3
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])
const OF_ENCODING = new Set(['content-encoding', 'content-length'])
const SHOWN_MAX = 40

/** The encodings of a body, as the head lists them; null for none. Nobody lists several: such a list is no known name. */
function encodingOf({ headers }: ReplyHead): string | null {
  let listed: string | null = null
  for (const [name, value] of headers) {
    if (name === 'content-encoding') listed = listed === null ? value : `${listed},${value}`
  }
  if (listed === null) return null
  const encodings = listed
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
  return encodings.length === 0 ? null : encodings.join(', ').slice(0, SHOWN_MAX)
}
