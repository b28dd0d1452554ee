import type { RequestFacts } from '../../dialects/index.ts'
import type {
  AccountContext,
  Backend,
  BackendId,
  Candidate,
  Catalogue,
  CredentialFault,
  MergedPolicy,
  OperationName,
  QuarantineRow,
  SortBy,
} from '../../domain/index.ts'
import type { Cooling, ObservedSnapshot, SessionPlaces } from '../../health/index.ts'
import type { KeptFor } from '../find-kept.ts'
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
  /** What offers are sorted by, where the request asks for nothing else; null: the catalogue's order. */
  readonly sort: SortBy | null
  /** What the operator takes of the price where an own credential is used, in hundredths of a percent. */
  readonly ownFeeBps: number
  /** As the rooms of health count it. */
  readonly nowMs: number
  /** Own credentials of the account that are not to be used now, by id, and why. */
  readonly ownFaults: ReadonlyMap<string, CredentialFault>
  /** Times, speeds and successes of offers, by their ids. */
  readonly observed: ObservedSnapshot
  /** Where the request's session stays, by model. */
  readonly sticky: SessionPlaces
}

/** What is asked for. A plain request makes no object but this one. */
export interface Wish {
  /** Id or alias, maybe with a variant behind it. */
  readonly model: string
  /** What the backend is to do; absent where a plan alone is asked for. */
  readonly operation?: OperationName
  /** What was read of the request; absent where a plan alone is asked for. */
  readonly request?: AskedRequest
  /** Slug of the one provider that may serve it, and nobody in its place (`x-anyrouter-provider`). */
  readonly pin?: string | undefined
  /** The conversation that it belongs to. */
  readonly session?: string | undefined
  /** Where what it names is kept. */
  readonly kept?: KeptFor | undefined
  /** Of a branch of a router model: which. */
  readonly router?: string
  /** Of the model of one branch. */
  readonly variant?: Variant
  /** Of a branch of a router model that has free ones alone. */
  readonly freeOnly?: true
  /** What a router model orders its models by. */
  readonly sort?: SortBy
  /** What spreads requests by weight: another one for each request. */
  readonly seed?: string
}

export type AskedRequest = Pick<
  RequestFacts,
  | 'choices'
  | 'dearer'
  | 'longestTextBytes'
  | 'needs'
  | 'outputLimit'
  | 'preferences'
  | 'pricedBy'
  | 'promptMediaUnits'
  | 'promptTextBytes'
>

/** `:free`: offers without a price alone; `:nitro`: the fastest first; `:floor`: the cheapest first. */
export type Variant = 'floor' | 'free' | 'nitro'

/** Of a candidate, what those rules look at that go by its backend alone. */
export interface Place {
  readonly offer: { readonly backend: Backend }
}

/** A rule that drops candidates. */
export interface Filter {
  readonly kind: 'filter'
  readonly name: string
  /** It looks at the offer and the operation alone: what it answers is kept with the catalogue. */
  readonly isOfOffer?: true
  /** Of a rule that only the caller's own wishes set: OpenRouter's word for it in `excluded_by`. */
  readonly wish?: string
  /** Whether it can drop anything of this request; without it always. */
  applies?(wish: Wish, world: World): boolean
  /** Why this candidate is passed over; null keeps it. */
  skip(candidate: Candidate, world: World, wish: Wish): SkipReason | null
}

/** A rule that orders candidates. */
export interface Ranking {
  readonly kind: 'ranking'
  readonly name: string
  /** Whether it orders anything of this request. */
  applies(wish: Wish, world: World): boolean
  /** Smaller comes first; equal keys leave the order to the next ranking, at last to the catalogue. */
  key(candidate: Candidate, world: World, wish: Wish): number
}

export type Rule = Filter | Ranking
