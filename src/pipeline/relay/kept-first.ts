import type { LiveObserver, LiveStream, RelayedStream } from '../handover.ts'

/**
 * The same stream, its end held back until `keep` has written down where its answer is kept: whoever is told that it is whole finds it, whatever
 * happens then. Until then it is not whole for who relays it. `keep` never rejects.
 */
export function keptFirst(live: LiveStream, keep: () => Promise<void>): RelayedStream {
  const isWhole = live.reply.finished
  const late = new LateEnd(live.reply, keep)
  return {
    ...live,
    reply: late,
    held: isWhole ? [] : live.held,
    attach(observer) {
      late.observer = observer
      if (isWhole) late.events(live.held)
      live.attach(late)
    },
  }
}

/** Between a stream and who relays it. */
class LateEnd implements LiveObserver {
  observer: LiveObserver | null = null
  readonly #reply: RelayedStream['reply']
  readonly #keep: () => Promise<void>
  readonly #late: ((observer: LiveObserver) => void)[] = []
  #isKept = false

  constructor(reply: RelayedStream['reply'], keep: () => Promise<void>) {
    this.#reply = reply
    this.#keep = keep
  }

  get finished(): boolean {
    return this.#isKept && this.#reply.finished
  }

  get closed(): boolean {
    return this.#isKept && this.#reply.closed
  }

  closing(): Uint8Array {
    return this.#reply.closing()
  }

  events(...told: Parameters<LiveObserver['events']>): void {
    this.#tell((observer) => observer.events(...told))
  }

  end(): void {
    this.#tell((observer) => observer.end())
  }

  broken(...told: Parameters<LiveObserver['broken']>): void {
    this.#tell((observer) => observer.broken(...told))
  }

  /** In the order in which it came. */
  #tell(tell: (observer: LiveObserver) => void): void {
    if (this.#isKept || !this.#reply.finished) {
      if (this.observer !== null) tell(this.observer)
      return
    }
    this.#late.push(tell)
    if (this.#late.length === 1) void this.#keep().then(() => this.#tellLate())
  }

  #tellLate(): void {
    this.#isKept = true
    if (this.observer !== null) for (const tell of this.#late) tell(this.observer)
  }
}
