import { isOwn, isOwnPlace, type ObservedSlice } from '../domain/index.ts'
import type { AttemptReport, ObservedSnapshot, SentWith } from './contract.ts'
import { type ObservedOffer, OfferWindow } from './offer-window.ts'

const SNAPSHOT_MS = 1000
const MINUTE_MS = 60_000
const TOKENS_MIN = 10 // the speed of fewer is chance
const ANSWER_US_MIN = 10_000 // so is that of what came in one piece

/** What the attempts at each offer came to lately: times, speeds, successes. Times are steady. */
export class Observed {
  readonly #nowMs: () => number
  readonly #windows = new Map<string, OfferWindow>()
  /** Offers whose windows changed since the snapshot, and since they were taken to be kept on disk. */
  readonly #changed = new Set<string>()
  readonly #unkept = new Set<string>()
  /** Offers whose slices on disk say nothing any more. */
  readonly #forgotten = new Set<string>()
  #snapshot: ObservedSnapshot = NOTHING_OBSERVED
  #known: ReadonlyMap<string, ObservedOffer> = new Map()
  #snapshotAtMs = Number.NEGATIVE_INFINITY
  #minute = 0

  /** `kept`: what the disk has, slices that are too old among them. */
  constructor(nowMs: () => number, kept: readonly ObservedSlice[] = []) {
    this.#nowMs = nowMs
    for (const slice of kept) {
      this.#windowOf(slice.offer).restore(slice, nowMs())
      this.#changed.add(slice.offer)
    }
  }

  /** The first content of a stream has come, so long after its attempt began. */
  contentBegan({ offer }: SentWith, firstContentUs: number): void {
    if (isOwnPlace(offer)) return
    this.#changedWindow(offer).firstContent(this.#nowMs(), firstContentUs / 1000)
  }

  /** Counts an attempt, but for what is not the backend's doing: the client's own faults, its leaving, what is wrong with an own credential. */
  attemptEnded({ offer, blame, credential, answer = null }: AttemptReport): void {
    if (blame === 'nobody' || isOwnPlace(offer)) return
    if (blame === 'credential' && credential !== null && isOwn(credential)) return
    const window = this.#changedWindow(offer)
    const nowMs = this.#nowMs()
    window.ended(nowMs, blame !== 'cleared')
    if (answer !== null && answer.tokens >= TOKENS_MIN && answer.us >= ANSWER_US_MIN)
      window.throughput(nowMs, (answer.tokens * 1_000_000) / answer.us)
  }

  /** The same object for a second at least. */
  snapshot(): ObservedSnapshot {
    const nowMs = this.#nowMs()
    if (nowMs - this.#snapshotAtMs < SNAPSHOT_MS) return this.#snapshot
    this.#snapshotAtMs = nowMs
    const minute = Math.floor(nowMs / MINUTE_MS)
    const hasSlid = minute !== this.#minute
    if (!hasSlid && this.#changed.size === 0) return this.#snapshot
    this.#minute = minute
    const known = new Map(hasSlid ? [] : this.#known)
    for (const offer of hasSlid ? this.#windows.keys() : this.#changed) this.#renew(known, offer, nowMs)
    this.#changed.clear()
    this.#known = known
    this.#snapshot = { version: this.#snapshot.version + 1, of: (offer) => known.get(offer) ?? null }
    return this.#snapshot
  }

  /** Several offers as one, as they are now: all of a backend, say. Null: nothing is known of any. */
  ofAll(offers: Iterable<string>): ObservedOffer | null {
    const [first, ...others] = [...offers].flatMap((offer) => this.#windows.get(offer) ?? [])
    return first?.read(this.#nowMs(), others) ?? null
  }

  /** Offers that were forgotten since this was asked last. */
  takeForgotten(): string[] {
    const taken = [...this.#forgotten]
    this.#forgotten.clear()
    return taken
  }

  /** Slices of at most so many offers that changed since they were taken last. */
  takeChanged(offersMax: number): ObservedSlice[] {
    const taken: ObservedSlice[] = []
    let left = offersMax
    for (const offer of this.#unkept) {
      if (left-- === 0) break
      this.#unkept.delete(offer)
      taken.push(...(this.#windows.get(offer)?.takeChanged(offer) ?? []))
    }
    return taken
  }

  /** Whatever was observed of these says nothing any more. */
  forget(isGone: (offer: string) => boolean): void {
    for (const offer of this.#windows.keys()) {
      if (!isGone(offer)) continue
      this.#windows.delete(offer)
      this.#unkept.delete(offer)
      this.#changed.add(offer)
      this.#forgotten.add(offer)
    }
    this.#snapshotAtMs = Number.NEGATIVE_INFINITY
  }

  #renew(known: Map<string, ObservedOffer>, offer: string, nowMs: number): void {
    const read = this.#windows.get(offer)?.read(nowMs) ?? null
    if (read !== null) {
      known.set(offer, read)
      return
    }
    known.delete(offer)
    this.#windows.delete(offer) // it may be an offer that is no more
  }

  #changedWindow(offer: string): OfferWindow {
    this.#changed.add(offer)
    this.#unkept.add(offer)
    return this.#windowOf(offer)
  }

  #windowOf(offer: string): OfferWindow {
    let window = this.#windows.get(offer)
    if (window === undefined) {
      window = new OfferWindow()
      this.#windows.set(offer, window)
    }
    return window
  }
}

/** What is known before anything was observed. */
export const NOTHING_OBSERVED: ObservedSnapshot = { version: 0, of: () => null }
