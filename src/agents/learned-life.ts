/**
 * How long a backend leaves an idle connection open, learned from its closes: three at a similar age within ten minutes. Closes of several
 * connections at once tell of a restart there, not of a limit. What was learned grows back by half every ten minutes.
 */
export class LearnedLife {
  #closes: Close[] = []
  #latestUs = Number.NEGATIVE_INFINITY
  #lifeMs: number | null = null
  #learnedUs = 0

  /** The backend closed a connection of ours that had been idle for so long. */
  closed(restedMs: number, nowUs: number): void {
    const isOneOfSeveral = nowUs - this.#latestUs < AT_ONCE_US
    this.#latestUs = nowUs
    this.#closes = this.#closes.filter(
      ({ atUs }) => nowUs - atUs < WINDOW_US && (!isOneOfSeveral || nowUs - atUs >= AT_ONCE_US),
    )
    if (isOneOfSeveral || restedMs < LIFE_MS_MIN) return
    this.#closes.push({ atUs: nowUs, restedMs })
    const similar = this.#closes.filter((close) => isSimilar(close.restedMs, restedMs)).map((close) => close.restedMs)
    if (similar.length < CLOSES_MIN) return
    this.#lifeMs = Math.max(LIFE_MS_MIN, Math.min(...similar) - MARGIN_MS)
    this.#learnedUs = nowUs
    this.#closes = []
  }

  /** In ms; null when nothing is known. */
  lifeMs(nowUs: number): number | null {
    if (this.#lifeMs === null) return null
    const lifeMs = this.#lifeMs * GROWTH ** Math.floor((nowUs - this.#learnedUs) / WINDOW_US)
    if (lifeMs < LIFE_MS_MAX) return lifeMs
    this.#lifeMs = null
    return null
  }
}

interface Close {
  readonly atUs: number
  readonly restedMs: number
}

const CLOSES_MIN = 3
const WINDOW_US = 600_000_000
const AT_ONCE_US = 250_000
const MARGIN_MS = 1000
const LIFE_MS_MIN = 1000
/** Beyond that the configuration decides alone. */
const LIFE_MS_MAX = 600_000
const GROWTH = 1.5

/** Within a tenth of the longer one, or within half a second: timers of servers are coarse. */
const isSimilar = (oneMs: number, otherMs: number): boolean =>
  Math.abs(oneMs - otherMs) <= Math.max(500, Math.max(oneMs, otherMs) / 10)
