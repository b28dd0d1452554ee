import type {
  AccountContext,
  BackendId,
  Candidate,
  Catalogue,
  CredentialFault,
  MergedPolicy,
  QuarantineRow,
} from '../../domain/index.ts'
import type { Cooling, ObservedSnapshot } from '../../health/index.ts'
import type { SkipReason } from '../skip-of.ts'

/** Everything a plan depends on, captured once: routing is a pure function of it and of the wish. */
export interface World {
  readonly catalogue: Catalogue
  readonly context: AccountContext
  /** What account and key allow together. */
  readonly policy: MergedPolicy
  /** Where a request may go that may not leave home; empty: everywhere. */
  readonly homeRegions: readonly string[]
  readonly quarantine: ReadonlyMap<BackendId, QuarantineRow>
  /** Backends that this account leaves alone. */
  readonly coolings: ReadonlyMap<BackendId, Cooling>
  /** When all are out, the one that has failed the least may be tried. */
  readonly triesLeastBad: boolean
  /** As the rooms of health count it. */
  readonly nowMs: number
  /** Own credentials of the account that are not to be used now, by id, and why. */
  readonly ownFaults: ReadonlyMap<string, CredentialFault>
  /** Times, speeds and successes of offers, by their ids. */
  readonly observed: ObservedSnapshot
}

/** What is asked for. */
export interface Wish {
  readonly model: string
}

/** A rule that drops candidates. */
export interface Filter {
  readonly kind: 'filter'
  readonly name: string
  /** Why this candidate is passed over; null keeps it. */
  skip(candidate: Candidate, world: World, wish: Wish): SkipReason | null
}

/** A rule that orders candidates. */
export interface Ranking {
  readonly kind: 'ranking'
  readonly name: string
  /** Smaller comes first; equal keys leave the order to the next ranking. */
  key(candidate: Candidate, position: number, world: World, wish: Wish): number
}

export type Rule = Filter | Ranking
