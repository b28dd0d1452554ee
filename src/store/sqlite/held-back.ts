import { type CancelTimer, type Clock, PassingMap } from '../../lib/index.ts'
import type { QueuedHold } from './queued-hold.ts'

/** Holds that wait for a moment before they go to the disk: a settlement that comes meanwhile takes their place, and the two are one row. */
export class HeldBack {
  readonly #clock: Clock
  readonly #bring: (held: QueuedHold) => void
  /** In the order in which they are due: all wait equally long. */
  readonly #waiting = new PassingMap<string, { readonly held: QueuedHold; readonly dueUs: number }>()
  #cancelTimer: CancelTimer | null = null
  #lookAtUs = 0

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
    if (this.#cancelTimer === null) this.#lookIn(waitMs * 1000)
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

  #lookIn(waitUs: number): void {
    this.#lookAtUs = this.#clock.monotonicUs() + waitUs
    this.#cancelTimer = this.#clock.after(Math.ceil(waitUs / 1000), () => this.#look())
  }

  /** A loop that comes late to this comes as late to the answers of providers: then all wait on for as long. */
  #look(): void {
    this.#cancelTimer = null
    const nowUs = this.#clock.monotonicUs()
    const lateUs = nowUs - this.#lookAtUs
    const [first] = this.#waiting.values()
    if (lateUs > LATE_US_MAX && first !== undefined && nowUs - first.dueUs < OVERDUE_US_MAX) {
      this.#lookIn(lateUs)
      return
    }
    for (const { held, dueUs } of this.#waiting.values()) {
      if (dueUs > nowUs) {
        this.#lookIn(dueUs - nowUs)
        return
      }
      this.#waiting.delete(held.hold.requestId)
      this.#bring(held)
    }
  }
}

const LATE_US_MAX = 2000
const OVERDUE_US_MAX = 100_000
