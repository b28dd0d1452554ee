/** The last few durations of a kind, in microseconds. Noting one costs a store; the figures are worked out when they are asked for. */
export class RecentTimes {
  readonly #us = new Float64Array(WINDOW)
  #noted = 0

  note(us: number): void {
    this.#us[this.#noted++ % WINDOW] = us
  }

  /** Null when there is none. */
  quantiles(): Quantiles | null {
    const size = Math.min(this.#noted, WINDOW)
    if (size === 0) return null
    const sorted = this.#us.slice(0, size).sort()
    const at = (share: number): number => Math.round(sorted[Math.ceil(share * size) - 1] ?? 0)
    return { p50Us: at(0.5), p95Us: at(0.95), samples: size }
  }
}

/** Of the last `samples` durations, at most 128. */
export interface Quantiles {
  readonly p50Us: number
  readonly p95Us: number
  readonly samples: number
}

const WINDOW = 128
