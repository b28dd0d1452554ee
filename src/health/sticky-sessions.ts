import type { BackendId, ModelId, StickyRow } from '../domain/index.ts'

/** Where a session's requests for a model go. */
export interface StickyPlace {
  readonly backend: BackendId
  /** Tokens of its last prompt, where the provider reported that it keeps prompts; else 0. */
  readonly cachedTokens: number
}

/** Of one session, by model. Never changed, but replaced: whoever takes it sees one moment. */
export type SessionPlaces = ReadonlyMap<ModelId, StickyPlace>

/** Which session, of whom, and for which model. */
export interface StickyName extends Pick<StickyRow, 'accountId' | 'session' | 'model'> {
  /** It is remembered in memory alone: the name is the caller's word, and of this one none may be kept. */
  readonly isUnwritten?: boolean
}

export interface StickySessionsOptions {
  /** What the disk has, in the order of its use. */
  readonly kept: readonly StickyRow[]
  /** Steady. */
  readonly nowMs: () => number
  /** How long a session stays after it was used last; 0: not at all. */
  readonly lifeMs: () => number
  readonly sessionsMax: number
}

/** Which backend each session stays with: in memory alone. Who was used longest ago makes room. */
export class StickySessions {
  readonly #options: StickySessionsOptions
  /** In the order of their use. */
  readonly #sessions = new Map<string, Session>()
  readonly #changed = new Set<string>()

  constructor(options: StickySessionsOptions) {
    this.#options = options
    for (const row of options.kept) this.#restore(row)
  }

  get size(): number {
    return this.#sessions.size
  }

  /** What a session's requests are drawn to now; nothing for one that is not known or has not been used for longer than its life. */
  of(accountId: string, session: string): SessionPlaces {
    const known = this.#sessions.get(nameOf(accountId, session))
    return known === undefined || this.#isOver(known) ? NO_PLACES : known.places
  }

  /** A backend serves the session's request. It stays there from now on; with `ifNew` only if it stays nowhere yet. */
  served({ accountId, session, model, isUnwritten }: StickyName, backend: BackendId, ifNew = false): void {
    const nowMs = this.#options.nowMs()
    const lifeMs = this.#options.lifeMs()
    if (lifeMs === 0) return
    const name = nameOf(accountId, session)
    const before = this.#sessions.get(name)
    const places = before === undefined || this.#isOver(before) ? NO_PLACES : before.places
    const place = places.get(model)
    const stays = place !== undefined && (ifNew || place.backend === backend)
    const after = stays ? places : new Map(places).set(model, { backend, cachedTokens: 0 })
    const isKept = stays && before !== undefined && nowMs - before.keptAtMs < lifeMs * UNKEPT_SHARE
    this.#put(name, { accountId, session, places: after, usedAtMs: nowMs, keptAtMs: isKept ? before.keptAtMs : nowMs })
    if (!isKept && isUnwritten !== true) this.#changed.add(name)
  }

  /** The provider of the session's backend has so many tokens of its prompt in its cache, as it reported. */
  cached({ accountId, session, model, isUnwritten }: StickyName, backend: BackendId, tokens: number): void {
    const name = nameOf(accountId, session)
    const known = this.#sessions.get(name)
    const place = known?.places.get(model)
    if (known === undefined || place?.backend !== backend || place.cachedTokens === tokens) return
    // In its place: this is no use of the session.
    this.#sessions.set(name, {
      ...known,
      places: new Map(known.places).set(model, { backend, cachedTokens: tokens }),
    })
    if (isUnwritten !== true) this.#changed.add(name)
  }

  /** Rows of at most so many sessions that changed since they were taken last. */
  takeChanged(sessionsMax: number): StickyRow[] {
    const taken: StickyRow[] = []
    let left = sessionsMax
    for (const name of this.#changed) {
      if (left-- === 0) break
      this.#changed.delete(name)
      const known = this.#sessions.get(name)
      if (known === undefined) continue
      const { accountId, session, usedAtMs } = known
      for (const [model, place] of known.places) taken.push({ accountId, session, model, ...place, usedAtMs })
    }
    return taken
  }

  /** Lets go of those that are over. */
  prune(): void {
    for (const [name, session] of this.#sessions) {
      if (!this.#isOver(session)) return
      this.#sessions.delete(name)
      this.#changed.delete(name)
    }
  }

  #isOver({ usedAtMs }: Session): boolean {
    return this.#options.nowMs() - usedAtMs >= this.#options.lifeMs()
  }

  #put(name: string, session: Session): void {
    this.#sessions.delete(name)
    this.#sessions.set(name, session)
    if (this.#sessions.size <= this.#options.sessionsMax) return
    const [oldest] = this.#sessions.keys()
    if (oldest === undefined) return
    this.#sessions.delete(oldest)
    this.#changed.delete(oldest)
  }

  #restore({ accountId, session, model, backend, cachedTokens, usedAtMs }: StickyRow): void {
    const name = nameOf(accountId, session)
    const places = new Map(this.#sessions.get(name)?.places).set(model, { backend, cachedTokens })
    const atMs = Math.min(usedAtMs, this.#options.nowMs()) // a clock that was set back makes no session last longer
    this.#put(name, { accountId, session, places, usedAtMs: atMs, keptAtMs: atMs })
  }
}

interface Session {
  readonly accountId: string
  readonly session: string
  readonly places: SessionPlaces
  readonly usedAtMs: number
  /** When it was used, as the disk has it or is told next. */
  readonly keptAtMs: number
}

/** What a session is drawn to that nothing is known of. */
export const NO_PLACES: SessionPlaces = new Map()

const UNKEPT_SHARE = 0.05 // of its life: what a session lasts less after a crash than it should

/** An account's id has no line break. */
const nameOf = (accountId: string, session: string): string => `${accountId}\n${session}`
