import { SETTLEMENTS_AT_ONCE } from './summed.ts'

const LONG_STEP_US = 25_000
const SHORT_STEP_US = LONG_STEP_US / 4
const LEAST = SETTLEMENTS_AT_ONCE / 8 // of fewer a round is mostly the wait for its disk

/**
 * How many settlements one round of the records follows. Their sums are one step, their commit another, and a request's hold waits for either: far
 * behind, where each settlement touches another page of a large file, a thousand of them take a quarter of a second.
 */
export class SettlementsAtOnce {
  #count = SETTLEMENTS_AT_ONCE
  #longestUs = 0

  get count(): number {
    return this.#count
  }

  stepTook(us: number): void {
    this.#longestUs = Math.max(this.#longestUs, us)
  }

  /** Halves or doubles the next round, by the longest step of this one. */
  roundEnded(): void {
    if (this.#longestUs > LONG_STEP_US) this.#count = Math.max(LEAST, this.#count / 2)
    else if (this.#longestUs < SHORT_STEP_US) this.#count = Math.min(SETTLEMENTS_AT_ONCE, this.#count * 2)
    this.#longestUs = 0
  }
}
