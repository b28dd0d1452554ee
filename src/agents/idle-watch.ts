import type { CancelTimer, Clock } from '../lib/index.ts'

/**
 * How long an answer is silent once its head is there; paused time does not count. One timer looks how long it has been silent when it fires, instead
 * of one that is set anew with every packet. When it fires during a pause, `resume` sets the next one.
 */
export class IdleWatch {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #onSilent: (message: string) => void
  #isPaused: boolean
  #heardUs: number
  #pausedUs = 0
  #cancelTimer: CancelTimer | null = null

  /** Something was heard just now. */
  constructor(clock: Clock, idleMs: number, isPaused: boolean, onSilent: (message: string) => void) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#isPaused = isPaused
    this.#onSilent = onSilent
    this.#heardUs = clock.monotonicUs()
    this.#pausedUs = this.#heardUs
    this.#arm()
  }

  heard(nowUs: number): void {
    this.#heardUs = nowUs
  }

  pause(): void {
    this.#isPaused = true
    this.#pausedUs = this.#clock.monotonicUs()
  }

  resume(): void {
    this.#isPaused = false
    this.#heardUs += this.#clock.monotonicUs() - this.#pausedUs
    if (this.#cancelTimer === null) this.#arm()
  }

  stop(): void {
    this.#cancelTimer?.()
  }

  #arm(): void {
    this.#cancelTimer = this.#clock.after(Math.max(1, Math.ceil(this.#leftMs())), () => {
      this.#cancelTimer = null
      if (this.#isPaused) return
      if (this.#leftMs() <= 0) this.#onSilent(`silent for ${this.#idleMs} ms`)
      else this.#arm()
    })
  }

  #leftMs(): number {
    return this.#idleMs - (this.#clock.monotonicUs() - this.#heardUs) / 1000
  }
}
