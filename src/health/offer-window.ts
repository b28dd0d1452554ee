import type { ObservedSlice } from '../domain/index.ts'
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
    this.#minutes.add(this.#minuteAt(nowMs), 1, hasFailed ? 1 : 0)
    this.#quarters.add(this.#quarters.moveTo(nowMs), 1, hasFailed ? 1 : 0)
  }

  firstContent(nowMs: number, tookMs: number): void {
    const slot = this.#minuteAt(nowMs)
    this.#firstContent ??= new LogHistogram(MINUTES)
    this.#firstContent.add(slot, tookMs)
    this.#minutes.mark(slot)
  }

  throughput(nowMs: number, tokensPerSecond: number): void {
    const slot = this.#minuteAt(nowMs)
    this.#throughput ??= new LogHistogram(MINUTES)
    this.#throughput.add(slot, tokensPerSecond * SPEED_UNITS)
    this.#minutes.mark(slot)
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
    const minutes = this.#minutes.takeChanged().map(({ slot, ...counts }) => ({
      offer,
      ...counts,
      firstContent: this.#firstContent?.textOf(slot) ?? '',
      throughput: this.#throughput?.textOf(slot) ?? '',
    }))
    const quarters = this.#quarters
      .takeChanged()
      .map(({ slot, ...counts }) => ({ offer, ...counts, firstContent: '', throughput: '' }))
    return [...minutes, ...quarters]
  }

  /** Puts back what the disk has, before anything is recorded: in any order. What is too old, or not begun yet, is left out. */
  restore({ lengthMs, startsAtMs, ended, failed, firstContent, throughput }: ObservedSlice, nowMs: number): void {
    this.#moveTo(nowMs)
    const endings = lengthMs === MINUTE_MS ? this.#minutes : this.#quarters
    const slot = lengthMs === endings.lengthMs ? endings.slotOf(startsAtMs) : null
    if (slot === null) return
    endings.restore(slot, ended, failed)
    if (endings !== this.#minutes) return
    if (firstContent !== '') {
      this.#firstContent ??= new LogHistogram(MINUTES)
      this.#firstContent.putText(slot, firstContent)
    }
    if (throughput !== '') {
      this.#throughput ??= new LogHistogram(MINUTES)
      this.#throughput.putText(slot, throughput)
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

  readonly #clear = (slot: number): void => {
    this.#firstContent?.clear(slot)
    this.#throughput?.clear(slot)
  }
}

const SPEED_UNITS = 10 // tenths of a token per second: slow models have buckets too

interface Counts {
  ended: number
  failed: number
}

interface ChangedSlice extends Counts, Pick<ObservedSlice, 'lengthMs' | 'startsAtMs' | 'expiresAtMs'> {
  readonly slot: number
}

/** A ring of slices of time, with how many attempts ended in each, and how many badly. */
class Endings {
  readonly lengthMs: number
  readonly #slices: number
  readonly #ended: Uint32Array
  readonly #failed: Uint32Array
  readonly #changed: Uint8Array
  /** Over all slices. */
  readonly #all: Counts = { ended: 0, failed: 0 }
  #now = 0 // the slice that it is, counted from 1970

  constructor(lengthMs: number, slices: number) {
    this.lengthMs = lengthMs
    this.#slices = slices
    this.#ended = new Uint32Array(slices)
    this.#failed = new Uint32Array(slices)
    this.#changed = new Uint8Array(slices)
  }

  /** Empties the slices that are over; answers the place of the one that it is. */
  moveTo(nowMs: number, onClear?: (slot: number) => void): number {
    const now = Math.floor(nowMs / this.lengthMs)
    if (now > this.#now) {
      for (let slice = Math.max(this.#now + 1, now - this.#slices + 1); slice <= now; slice++) {
        const slot = slice % this.#slices
        this.#put(slot, 0, 0)
        this.#changed[slot] = 0
        onClear?.(slot)
      }
      this.#now = now
    }
    return this.#now % this.#slices
  }

  add(slot: number, ended: number, failed: number): void {
    this.#put(slot, (this.#ended[slot] ?? 0) + ended, (this.#failed[slot] ?? 0) + failed)
    this.#changed[slot] = 1
  }

  mark(slot: number): void {
    this.#changed[slot] = 1
  }

  addAllTo(sum: Counts): void {
    sum.ended += this.#all.ended
    sum.failed += this.#all.failed
  }

  /** Of the last slices, the one that it is among them. */
  addLastTo(sum: Counts, slices: number): void {
    for (let back = 0; back < slices; back++) {
      const slot = (this.#now - back + this.#slices) % this.#slices
      sum.ended += this.#ended[slot] ?? 0
      sum.failed += this.#failed[slot] ?? 0
    }
  }

  /** The place of the slice that began then; null when it is none of those it holds. */
  slotOf(startsAtMs: number): number | null {
    const slice = startsAtMs / this.lengthMs
    const isHeld = Number.isInteger(slice) && slice <= this.#now && slice > this.#now - this.#slices
    return isHeld ? slice % this.#slices : null
  }

  restore(slot: number, ended: number, failed: number): void {
    this.#put(slot, ended, failed)
  }

  takeChanged(): ChangedSlice[] {
    const taken: ChangedSlice[] = []
    for (let back = this.#slices - 1; back >= 0; back--) {
      const slice = this.#now - back
      const slot = (slice + this.#slices) % this.#slices
      if (this.#changed[slot] !== 1) continue
      this.#changed[slot] = 0
      const counts = { ended: this.#ended[slot] ?? 0, failed: this.#failed[slot] ?? 0 }
      const startsAtMs = slice * this.lengthMs
      const expiresAtMs = startsAtMs + this.#slices * this.lengthMs
      taken.push({ slot, lengthMs: this.lengthMs, startsAtMs, expiresAtMs, ...counts })
    }
    return taken
  }

  #put(slot: number, ended: number, failed: number): void {
    this.#all.ended += ended - (this.#ended[slot] ?? 0)
    this.#all.failed += failed - (this.#failed[slot] ?? 0)
    this.#ended[slot] = ended
    this.#failed[slot] = failed
  }
}

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
