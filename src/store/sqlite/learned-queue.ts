import type { ObservedSlice, StickyRow } from '../../domain/index.ts'
import type { Learned } from '../learned-contract.ts'

const SESSIONS_MAX = 20_000

/** What was learned and is not on disk yet: the newest of each slice and session, so that a file that takes nothing costs no more and more memory. */
export class LearnedQueue {
  readonly #forgotten = new Set<string>()
  readonly #observed = new Map<string, ObservedSlice>()
  readonly #sticky = new Map<string, StickyRow>()
  #expired: Learned['expired'] = null

  get isEmpty(): boolean {
    return this.#forgotten.size + this.#observed.size + this.#sticky.size === 0 && this.#expired === null
  }

  add({ forgotten, observed, sticky, expired }: Learned): void {
    for (const offer of forgotten) this.#forget(offer)
    for (const slice of observed) this.#observed.set(`${slice.lengthMs} ${slice.startsAtMs} ${slice.offer}`, slice)
    for (const row of sticky) {
      const name = JSON.stringify([row.accountId, row.session, row.model])
      this.#sticky.delete(name)
      this.#sticky.set(name, row)
    }
    for (const name of this.#sticky.keys()) {
      if (this.#sticky.size <= SESSIONS_MAX) break
      this.#sticky.delete(name)
    }
    if (expired === null) return
    this.#expired = expired
    for (const [name, { expiresAtMs }] of this.#observed)
      if (expiresAtMs <= expired.observedMs) this.#observed.delete(name)
  }

  all(): Learned {
    return {
      forgotten: [...this.#forgotten],
      observed: [...this.#observed.values()],
      sticky: [...this.#sticky.values()],
      expired: this.#expired,
    }
  }

  clear(): void {
    this.#forgotten.clear()
    this.#observed.clear()
    this.#sticky.clear()
    this.#expired = null
  }

  #forget(offer: string): void {
    this.#forgotten.add(offer)
    for (const [name, slice] of this.#observed) if (slice.offer === offer) this.#observed.delete(name)
  }
}
