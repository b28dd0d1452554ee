import { type Counts, Endings } from './endings.ts'

/** How many attempts ended well and badly within the last `windowMs`, to a twelfth of it. */
export class OutcomeWindow {
  readonly windowMs: number
  readonly #endings: Endings

  constructor(windowMs: number) {
    this.windowMs = windowMs
    this.#endings = new Endings(windowMs / PARTS, PARTS)
  }

  /** Counts an attempt. Time does not go back. */
  add(nowMs: number, hasFailed: boolean): void {
    this.#endings.add(this.#endings.moveTo(nowMs), hasFailed)
  }

  read(nowMs: number): Readonly<Counts> {
    const sum = { ended: 0, failed: 0 }
    this.#endings.moveTo(nowMs)
    this.#endings.addAllTo(sum)
    return sum
  }
}

const PARTS = 12
