import type { StreamEvent } from '../dialects/index.ts'
import type { AccountContext } from '../domain/index.ts'
import type { Content } from '../records/index.ts'
import type { LiveObserver, RelayedStream } from './handover.ts'

/** What of a request and its answer is kept, as the caller sees them: at most 256 KB of each. */
export class ContentCapture {
  readonly #prompt: Uint8Array
  #pieces: Uint8Array[] = []
  #bytes = 0
  #isCut: boolean

  constructor(prompt: Uint8Array) {
    this.#prompt = prompt
    this.#isCut = prompt.byteLength > BYTES_MAX
  }

  /** A piece of the answer, in order. */
  add(bytes: Uint8Array): void {
    const room = BYTES_MAX - this.#bytes
    if (bytes.byteLength > room) this.#isCut = true
    if (room <= 0 || bytes.byteLength === 0) return
    this.#pieces.push(bytes.subarray(0, room))
    this.#bytes += bytes.byteLength
  }

  /** All of it as text. */
  read(): Pick<Content, 'prompt' | 'answer' | 'isCut'> {
    const answer = this.#pieces.length === 0 ? null : textOf(Buffer.concat(this.#pieces))
    return { prompt: textOf(this.#prompt), answer, isCut: this.#isCut }
  }
}

const BYTES_MAX = 256 * 1024
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, BYTES_MAX)).toString('utf8')

/** What may be kept of a request: counts and money alone (`keepsNothing`), or even what it says. */
export function keptOf(context: AccountContext, body: Uint8Array) {
  const { account, key } = context
  const keepsNothing = account.policy.zeroRetention || key.policy.zeroRetention
  const isWanted = account.storeContent && !keepsNothing && body.byteLength > 0
  return { keepsNothing, content: isWanted ? new ContentCapture(body) : null }
}

/** The same stream, with what is relayed of it captured. */
export function captured(live: RelayedStream, content: ContentCapture | null): RelayedStream {
  if (content === null) return live
  const take = (events: readonly StreamEvent[]): void => {
    for (const { bytes, kind } of events) if (kind !== 'error') content.add(bytes)
  }
  take(live.held)
  return {
    ...live,
    attach: (observer) => live.attach(listening(observer, take)),
  }
}

const listening = (observer: LiveObserver, take: (events: readonly StreamEvent[]) => void): LiveObserver => ({
  events(events) {
    take(events)
    observer.events(events)
  },
  end: () => observer.end(),
  broken: (reason, message) => observer.broken(reason, message),
})
