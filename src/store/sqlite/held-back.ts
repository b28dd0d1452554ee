import type { CancelTimer, Clock } from '../../lib/index.ts'
import type { QueuedHold } from './gathering.ts'

/** Holds that wait for a moment before they go to the disk: a settlement that comes meanwhile takes their place, and the two are one row. */
export class HeldBack {
  readonly #clock: Clock
  readonly #bring: (held: QueuedHold) => void
  /** In the order in which they are due: all wait equally long. */
  readonly #waiting = new Map<string, { readonly held: QueuedHold; readonly dueUs: number }>()
  #cancelTimer: CancelTimer | null = null

  /** `bring` is called with each hold that has waited long enough. */
  constructor(clock: Clock, bring: (held: QueuedHold) => void) {
    this.#clock = clock
    this.#bring = bring
  }

  get size(): number {
    return this.#waiting.size
  }

  add(held: QueuedHold, waitMs: number): void {
    this.#waiting.set(held.hold.requestId, { held, dueUs: this.#clock.monotonicUs() + waitMs * 1000 })
    this.#cancelTimer ??= this.#clock.after(waitMs, () => this.#look())
  }

  /** Undefined when it does not wait, or not any more. */
  take(requestId: string): QueuedHold | undefined {
    const waiting = this.#waiting.get(requestId)
    if (waiting === undefined) return undefined
    this.#waiting.delete(requestId)
    return waiting.held
  }

  /** All of them; none waits any more. */
  takeAll(): QueuedHold[] {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const all = [...this.#waiting.values()].map(({ held }) => held)
    this.#waiting.clear()
    return all
  }

  #look(): void {
    this.#cancelTimer = null
    const nowUs = this.#clock.monotonicUs()
    for (const [requestId, { held, dueUs }] of this.#waiting) {
      if (dueUs > nowUs) {
        this.#cancelTimer = this.#clock.after(Math.ceil((dueUs - nowUs) / 1000), () => this.#look())
        return
      }
      this.#waiting.delete(requestId)
      this.#bring(held)
    }
  }
}
