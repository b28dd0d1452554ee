import type { ObservedSlice } from '../domain/index.ts'
import { type Counts, Endings } from './endings.ts'
import { type Histogram, LogHistogram } from './log-histogram.ts'

/** What one offer did lately, as far as plans and people want to know it. Nothing of it ever changes: a later one takes its place. */
export interface ObservedOffer {
  /** From the beginning of an attempt to the first content of its stream, over 30 min; null while there was none. */
  readonly firstContentP50Ms: number | null
  readonly firstContentP95Ms: number | null
  /** The median of answers over 30 min: of a stream after its first content, of a plain answer over all of its time; null while there was none. */
  readonly tokensPerSecond: number | null
  /** The share of attempts that succeeded over 30 min, 0 to 1; null while there was none. */
  readonly successRate: number | null
  /** Attempts over 30 min that the success rate is of. */
  readonly samples: number
  /** `p90`: nine of ten took at most so long. */
  readonly firstContentMs: ObservedPercentiles | null
  /** In tokens per second. `p90`: nine of ten were at least so fast. */
  readonly throughput: ObservedPercentiles | null
  /** Shares of attempts that succeeded, 0 to 1; null while there was none. */
  readonly uptime: Uptime
}

export interface ObservedPercentiles {
  readonly p50: number
  readonly p75: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
}

export interface Uptime {
  readonly last5m: number | null
  readonly last30m: number | null
  readonly last1d: number | null
}

const MINUTE_MS = 60_000
const QUARTER_MS = 900_000
const MINUTES = 30
const QUARTERS = 96
const RECENT_MINUTES = 5
const NONE: readonly OfferWindow[] = []

/**
 * The windows of one offer: half an hour in minutes, with times and speeds, and a day in quarters of an hour, endings alone. Fixed in size;
 * what is recorded costs a few additions. Times are steady and do not go back.
 */
export class OfferWindow {
  readonly #minutes = new Endings(MINUTE_MS, MINUTES)
  readonly #quarters = new Endings(QUARTER_MS, QUARTERS)
  // Most of the memory: an offer that is asked for no streams needs no times.
  #firstContent: LogHistogram | null = null
  #throughput: LogHistogram | null = null

  ended(nowMs: number, hasFailed: boolean): void {
    this.#minutes.add(this.#minuteAt(nowMs), hasFailed)
    this.#quarters.add(this.#quarters.moveTo(nowMs), hasFailed)
  }

  firstContent(nowMs: number, tookMs: number): void {
    const place = this.#minuteAt(nowMs)
    this.#firstContent ??= new LogHistogram(MINUTES)
    this.#firstContent.add(place, tookMs)
    this.#minutes.mark(place)
  }

  throughput(nowMs: number, tokensPerSecond: number): void {
    const place = this.#minuteAt(nowMs)
    this.#throughput ??= new LogHistogram(MINUTES)
    this.#throughput.add(place, tokensPerSecond * SPEED_UNITS)
    this.#minutes.mark(place)
  }

  /** What is in the windows now, with those of other offers; null when they are empty. */
  read(nowMs: number, others: readonly OfferWindow[] = NONE): ObservedOffer | null {
    const day = { ended: 0, failed: 0 }
    const half = { ended: 0, failed: 0 }
    const recent = { ended: 0, failed: 0 }
    this.#addTo(nowMs, day, half, recent)
    for (const other of others) other.#addTo(nowMs, day, half, recent)
    const isAlone = others.length === 0
    const times = isAlone ? this.#firstContent : joined([this, ...others].map((one) => one.#firstContent))
    const speeds = isAlone ? this.#throughput : joined([this, ...others].map((one) => one.#throughput))
    const firstContentMs = timesOf(times)
    const throughput = speedsOf(speeds)
    if (day.ended === 0 && half.ended === 0 && firstContentMs === null && throughput === null) return null
    const successRate = shareOf(half)
    return {
      firstContentP50Ms: firstContentMs?.p50 ?? null,
      firstContentP95Ms: firstContentMs?.p95 ?? null,
      tokensPerSecond: throughput?.p50 ?? null,
      successRate,
      samples: half.ended,
      firstContentMs,
      throughput,
      uptime: { last5m: shareOf(recent), last30m: successRate, last1d: shareOf(day) },
    }
  }

  /** The slices that changed since they were taken last. */
  takeChanged(offer: string): ObservedSlice[] {
    const minutes = this.#minutes.takeChanged().map(({ place, ...counts }) => ({
      offer,
      ...counts,
      firstContent: this.#firstContent?.textOf(place) ?? '',
      throughput: this.#throughput?.textOf(place) ?? '',
    }))
    const quarters = this.#quarters
      .takeChanged()
      .map(({ place, ...counts }) => ({ offer, ...counts, firstContent: '', throughput: '' }))
    return [...minutes, ...quarters]
  }

  /** Puts back what the disk has, before anything is recorded: in any order. What is too old, or not begun yet, is left out. */
  restore({ lengthMs, startsAtMs, ended, failed, firstContent, throughput }: ObservedSlice, nowMs: number): void {
    this.#moveTo(nowMs)
    const endings = lengthMs === MINUTE_MS ? this.#minutes : this.#quarters
    const place = lengthMs === endings.lengthMs ? endings.placeOf(startsAtMs) : null
    if (place === null) return
    endings.put(place, ended, failed)
    if (endings !== this.#minutes) return
    if (firstContent !== '') {
      this.#firstContent ??= new LogHistogram(MINUTES)
      this.#firstContent.putText(place, firstContent)
    }
    if (throughput !== '') {
      this.#throughput ??= new LogHistogram(MINUTES)
      this.#throughput.putText(place, throughput)
    }
  }

  #addTo(nowMs: number, day: Counts, half: Counts, recent: Counts): void {
    this.#moveTo(nowMs)
    this.#quarters.addAllTo(day)
    this.#minutes.addAllTo(half)
    this.#minutes.addLastTo(recent, RECENT_MINUTES)
  }

  #moveTo(nowMs: number): void {
    this.#minuteAt(nowMs)
    this.#quarters.moveTo(nowMs)
  }

  #minuteAt(nowMs: number): number {
    return this.#minutes.moveTo(nowMs, this.#clear)
  }

  readonly #clear = (place: number): void => {
    this.#firstContent?.clear(place)
    this.#throughput?.clear(place)
  }
}

const SPEED_UNITS = 10 // tenths of a token per second: slow models have buckets too

/** The share that did not fail; null of none. */
const shareOf = ({ ended, failed }: Counts): number | null => (ended === 0 ? null : (ended - failed) / ended)

function joined(all: readonly (LogHistogram | null)[]): Histogram | null {
  const [first, ...others] = all.filter((histogram) => histogram !== null)
  return first?.with(others) ?? null
}

const SHARES = [0.5, 0.75, 0.9, 0.95, 0.99] as const
/** The share that is at least so fast is the share that the rest lies below. */
const SLOWER_SHARES = [0.01, 0.05, 0.1, 0.25, 0.5] as const

function timesOf(histogram: Histogram | null): ObservedPercentiles | null {
  if (histogram === null || histogram.total === 0) return null
  const [p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0] = histogram.quantiles(SHARES)
  return { p50, p75, p90, p95, p99 }
}

function speedsOf(histogram: Histogram | null): ObservedPercentiles | null {
  if (histogram === null || histogram.total === 0) return null
  const [p99 = 0, p95 = 0, p90 = 0, p75 = 0, p50 = 0] = histogram.quantiles(SLOWER_SHARES)
  return {
    p50: p50 / SPEED_UNITS,
    p75: p75 / SPEED_UNITS,
    p90: p90 / SPEED_UNITS,
    p95: p95 / SPEED_UNITS,
    p99: p99 / SPEED_UNITS,
  }
}
