import type { LiveObserver, LiveStream } from '../handover.ts'

/**
 * The same stream, its end held back until `keep` has written down where its answer is kept: whoever is told that it is whole finds it, whatever
 * happens then. `keep` never rejects.
 */
export function keptFirst(live: LiveStream, keep: () => Promise<void>): LiveStream {
  const isWhole = live.reply.finished
  return {
    ...live,
    held: isWhole ? [] : live.held,
    attach(observer) {
      const late = new LateEnd(observer, live.reply, keep)
      if (isWhole) late.events(live.held)
      live.attach(late)
    },
  }
}

class LateEnd implements LiveObserver {
  readonly #observer: LiveObserver
  readonly #reply: Pick<LiveStream['reply'], 'finished'>
  readonly #keep: () => Promise<void>
  readonly #late: (() => void)[] = []
  #isKept = false

  constructor(observer: LiveObserver, reply: Pick<LiveStream['reply'], 'finished'>, keep: () => Promise<void>) {
    this.#observer = observer
    this.#reply = reply
    this.#keep = keep
  }

  events(...told: Parameters<LiveObserver['events']>): void {
    this.#tell(() => this.#observer.events(...told))
  }

  end(): void {
    this.#tell(() => this.#observer.end())
  }

  broken(...told: Parameters<LiveObserver['broken']>): void {
    this.#tell(() => this.#observer.broken(...told))
  }

  /** In the order in which it came. */
  #tell(tell: () => void): void {
    if (this.#isKept || !this.#reply.finished) {
      tell()
      return
    }
    this.#late.push(tell)
    if (this.#late.length === 1) void this.#keep().then(() => this.#tellLate())
  }

  #tellLate(): void {
    this.#isKept = true
    for (const tell of this.#late) tell()
  }
}
