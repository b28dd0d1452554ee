import type { ObservedSlice } from '../domain/index.ts'

/** A ring of slices of time, with how many attempts ended in each, and how many badly. */
export class Endings {
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
  moveTo(nowMs: number, onClear?: (place: number) => void): number {
    const now = Math.floor(nowMs / this.lengthMs)
    if (now > this.#now) {
      for (let slice = Math.max(this.#now + 1, now - this.#slices + 1); slice <= now; slice++) {
        const place = slice % this.#slices
        this.put(place, 0, 0)
        this.#changed[place] = 0
        onClear?.(place)
      }
      this.#now = now
    }
    return this.#now % this.#slices
  }

  /** One more has ended. */
  add(place: number, hasFailed: boolean): void {
    this.put(place, (this.#ended[place] ?? 0) + 1, (this.#failed[place] ?? 0) + (hasFailed ? 1 : 0))
    this.#changed[place] = 1
  }

  /** So many have, in all. */
  put(place: number, ended: number, failed: number): void {
    this.#all.ended += ended - (this.#ended[place] ?? 0)
    this.#all.failed += failed - (this.#failed[place] ?? 0)
    this.#ended[place] = ended
    this.#failed[place] = failed
  }

  /** Something else came of this slice. */
  mark(place: number): void {
    this.#changed[place] = 1
  }

  addAllTo(sum: Counts): void {
    sum.ended += this.#all.ended
    sum.failed += this.#all.failed
  }

  /** Of the last slices, the one that it is among them. */
  addLastTo(sum: Counts, slices: number): void {
    for (let back = 0; back < slices; back++) {
      const place = (this.#now - back + this.#slices) % this.#slices
      sum.ended += this.#ended[place] ?? 0
      sum.failed += this.#failed[place] ?? 0
    }
  }

  /** The place of the slice that began then; null when it is none of those it holds. */
  placeOf(startsAtMs: number): number | null {
    const slice = startsAtMs / this.lengthMs
    const isHeld = Number.isInteger(slice) && slice <= this.#now && slice > this.#now - this.#slices
    return isHeld ? slice % this.#slices : null
  }

  /** The slices that changed since they were taken last. */
  takeChanged(): ChangedSlice[] {
    const taken: ChangedSlice[] = []
    for (let back = this.#slices - 1; back >= 0; back--) {
      const slice = this.#now - back
      const place = (slice + this.#slices) % this.#slices
      if (this.#changed[place] !== 1) continue
      this.#changed[place] = 0
      const counts = { ended: this.#ended[place] ?? 0, failed: this.#failed[place] ?? 0 }
      const startsAtMs = slice * this.lengthMs
      const expiresAtMs = startsAtMs + this.#slices * this.lengthMs
      taken.push({ place, lengthMs: this.lengthMs, startsAtMs, expiresAtMs, ...counts })
    }
    return taken
  }
}

/** Attempts that ended, and how many of them badly. */
export interface Counts {
  ended: number
  failed: number
}

interface ChangedSlice extends Counts, Pick<ObservedSlice, 'lengthMs' | 'startsAtMs' | 'expiresAtMs'> {
  readonly place: number
}
