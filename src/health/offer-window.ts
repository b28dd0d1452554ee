import type { ObservedSlice } from '../domain/index.ts'
import { LogHistogram } from './log-histogram.ts'

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

  /** What is in the windows now; null when they are empty. */
  read(nowMs: number): ObservedOffer | null {
    return this.readWith([], nowMs)
  }

  /** What is in the windows of several offers together. */
  readWith(others: readonly OfferWindow[], nowMs: number): ObservedOffer | null {
    const all = [this, ...others]
    for (const one of all) one.#moveTo(nowMs)
    const day = shareOf(all.map((one) => one.#quarters.sum(QUARTERS)))
    const half = shareOf(all.map((one) => one.#minutes.sum(MINUTES)))
    const firstContentMs = timesOf(all.flatMap((one) => one.#firstContent ?? []))
    const throughput = speedsOf(all.flatMap((one) => one.#throughput ?? []))
    if (day.ended === 0 && half.ended === 0 && firstContentMs === null && throughput === null) return null
    return {
      firstContentP50Ms: firstContentMs?.p50 ?? null,
      firstContentP95Ms: firstContentMs?.p95 ?? null,
      tokensPerSecond: throughput?.p50 ?? null,
      successRate: half.succeeded,
      samples: half.ended,
      firstContentMs,
      throughput,
      uptime: {
        last5m: shareOf(all.map((one) => one.#minutes.sum(RECENT_MINUTES))).succeeded,
        last30m: half.succeeded,
        last1d: day.succeeded,
      },
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
  readonly ended: number
  readonly failed: number
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
        this.#ended[slot] = 0
        this.#failed[slot] = 0
        this.#changed[slot] = 0
        onClear?.(slot)
      }
      this.#now = now
    }
    return this.#now % this.#slices
  }

  add(slot: number, ended: number, failed: number): void {
    this.#ended[slot] = (this.#ended[slot] ?? 0) + ended
    this.#failed[slot] = (this.#failed[slot] ?? 0) + failed
    this.#changed[slot] = 1
  }

  mark(slot: number): void {
    this.#changed[slot] = 1
  }

  /** Over the last slices, the one that it is among them. */
  sum(slices: number): Counts {
    let ended = 0
    let failed = 0
    for (let back = 0; back < slices; back++) {
      const slot = (this.#now - back + this.#slices) % this.#slices
      ended += this.#ended[slot] ?? 0
      failed += this.#failed[slot] ?? 0
    }
    return { ended, failed }
  }

  /** The place of the slice that began then; null when it is none of those it holds. */
  slotOf(startsAtMs: number): number | null {
    const slice = startsAtMs / this.lengthMs
    const isHeld = Number.isInteger(slice) && slice <= this.#now && slice > this.#now - this.#slices
    return isHeld ? slice % this.#slices : null
  }

  restore(slot: number, ended: number, failed: number): void {
    this.#ended[slot] = ended
    this.#failed[slot] = failed
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
}

function shareOf(counts: readonly Counts[]): { readonly ended: number; readonly succeeded: number | null } {
  const ended = counts.reduce((sum, one) => sum + one.ended, 0)
  const failed = counts.reduce((sum, one) => sum + one.failed, 0)
  return { ended, succeeded: ended === 0 ? null : (ended - failed) / ended }
}

const timesOf = (all: readonly LogHistogram[]): ObservedPercentiles | null => percentiles(all, (share) => share, 1)
/** The share that is at least so fast is the share that the rest lies below. */
const speedsOf = (all: readonly LogHistogram[]): ObservedPercentiles | null =>
  percentiles(all, (share) => 1 - share, SPEED_UNITS)

function percentiles(
  all: readonly LogHistogram[],
  rank: (share: number) => number,
  units: number,
): ObservedPercentiles | null {
  const [first, ...others] = all
  const sum = first === undefined ? null : first.with(others)
  if (sum === null || sum.total === 0) return null
  const at = (share: number): number => Number((sum.quantile(rank(share)) / units).toPrecision(3))
  return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p95: at(0.95), p99: at(0.99) }
}
