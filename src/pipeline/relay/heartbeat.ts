import type { CancelTimer, Clock } from '../../lib/index.ts'

/** Asks for a heartbeat each time that nothing was written for so long. One timer, however much is written. */
export class Heartbeat {
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #beat: () => void
  #writtenUs: number
  #cancel: CancelTimer | null = null

  /** `afterMs` 0: never. */
  constructor(clock: Clock, afterMs: number, beat: () => void) {
    this.#clock = clock
    this.#afterMs = afterMs
    this.#beat = beat
    this.#writtenUs = clock.monotonicUs()
    if (afterMs > 0) this.#arm(afterMs)
  }

  /** Something was written. */
  wrote(): void {
    if (this.#afterMs > 0) this.#writtenUs = this.#clock.monotonicUs()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #arm(inMs: number): void {
    this.#cancel = this.#clock.after(inMs, () => {
      const leftMs = this.#afterMs - (this.#clock.monotonicUs() - this.#writtenUs) / 1000
      this.#arm(leftMs > 0 ? Math.ceil(leftMs) : this.#afterMs)
      if (leftMs <= 0) this.#beat()
    })
  }
}

/** A comment: every reader of events passes over it (WIRE.md, 3.3), and proxies see that the stream is alive. */
export const HEARTBEAT: Uint8Array = Buffer.from(': heartbeat\n\n')
