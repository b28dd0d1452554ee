/** Durations in fixed buckets: an observation adds two plain numbers (docs/decisions/009). */
export class Histogram {
  /** Upper bounds in µs, ascending; what is beyond the last is counted too. */
  readonly boundsUs: readonly number[]
  /** How many fell into each bucket, and behind them how many into none; not cumulative. */
  readonly counts: Float64Array
  sumUs = 0

  constructor(boundsUs: readonly number[]) {
    this.boundsUs = boundsUs
    this.counts = new Float64Array(boundsUs.length + 1)
  }

  observe(us: number): void {
    const { boundsUs, counts } = this
    let at = 0
    while (at < boundsUs.length && us > (boundsUs[at] ?? 0)) at++
    counts[at] = (counts[at] ?? 0) + 1
    this.sumUs += us
  }
}
