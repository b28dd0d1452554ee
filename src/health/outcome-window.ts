/** How many attempts ended well and badly within the last `windowMs`, to a twelfth of it. */
export class OutcomeWindow {
  readonly windowMs: number
  readonly #partMs: number
  readonly #ended: Uint32Array
  readonly #failed: Uint32Array
  #part = 0 // counted from the beginning of time

  constructor(windowMs: number) {
    this.windowMs = windowMs
    this.#partMs = windowMs / PARTS
    this.#ended = new Uint32Array(PARTS)
    this.#failed = new Uint32Array(PARTS)
  }

  /** Counts an attempt. Time does not go back. */
  add(nowMs: number, hasFailed: boolean): void {
    this.#moveTo(nowMs)
    const at = this.#part % PARTS
    this.#ended[at] = (this.#ended[at] ?? 0) + 1
    if (hasFailed) this.#failed[at] = (this.#failed[at] ?? 0) + 1
  }

  read(nowMs: number): { readonly ended: number; readonly failed: number } {
    this.#moveTo(nowMs)
    return { ended: sum(this.#ended), failed: sum(this.#failed) }
  }

  /** Parts that are over by more than the window are empty again. */
  #moveTo(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs)
    if (part === this.#part) return
    const from = Math.max(this.#part + 1, part - PARTS + 1)
    for (let old = from; old <= part; old++) {
      this.#ended[old % PARTS] = 0
      this.#failed[old % PARTS] = 0
    }
    this.#part = part
  }
}

const PARTS = 12

const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0)
