import type {
  Backend,
  BackendId,
  Blame,
  CredentialFault,
  OperatorCredential,
  Outcome,
  OwnSecret,
  QuarantineRow,
} from '../domain/index.ts'
import type { By, Learned } from '../store/index.ts'
import type { Cooling } from './coolings.ts'
import type { Exclusion, Standing } from './exclusion-of.ts'
import type { ObservedOffer } from './offer-window.ts'
import type { StickySessions } from './sticky-sessions.ts'
import type { Claim } from './watch.ts'

/** Which backends are out, and what their attempts say of them. Times are steady: no correction of the machine's clock touches them. */
export interface Health
  extends HealthForRouting,
    HealthForDispatch,
    HealthForProbes,
    HealthForOperators,
    HealthForKeeping {}

/** What a plan depends on. Nothing of it ever changes, but is replaced: whoever takes it sees one moment. */
interface HealthForRouting {
  nowMs(): number
  quarantine(): ReadonlyMap<BackendId, QuarantineRow>
  coolings(accountId: string): ReadonlyMap<BackendId, Cooling>
  /** Why an account's own credential is not to be used now; null when it may be. */
  ownFault(credential: OwnSecret): CredentialFault | null
  /** Whether one that is out for failures may be tried when all are out. */
  triesLeastBad(): boolean
  /** What was observed of offers: another object once a second at most. */
  observed(): ObservedSnapshot
  readonly sessions: StickySessions
}

interface HealthForDispatch {
  /**
   * The right to send a backend one request in this tick; `trial_running` when another request has the only one that it gets, `out` when it
   * is out by now. `leastBad`: it may be out, if it is so for failures alone. `isOwn`: the account shows a credential of its own, so
   * the operator's do not matter. Each claim must be given back.
   */
  claim(backend: Backend, leastBad: boolean, isOwn?: boolean): Claim | 'trial_running' | 'out'
  /** What `claim` would answer now. */
  chanceOf(backend: Backend, leastBad: boolean, isOwn?: boolean): 'free' | 'trial_running' | 'out'
  /** Nothing more is sent with it, or it has come to its content: the next may have its trial. */
  release(claim: Claim): void
  /**
   * A request goes out with an own credential that `ownFault` lets pass: one that was in fault is tried by this request alone, until `endOwnTrial`.
   * False: it is in no fault, and nothing has to be ended.
   */
  beginOwnTrial(credential: OwnSecret): boolean
  endOwnTrial(credential: OwnSecret): void
  /** Calls back whenever a trial of the backend ends; the answer stops listening. */
  onTrialEnd(backend: BackendId, listener: () => void): () => void
  /** Those of the provider that may be used, in their order. One that was in trouble and has not served since is for a trial alone. */
  credentials(claim: Pick<Claim, 'backend' | 'isTrial'>): readonly OperatorCredential[]
  /** The stream has begun, so long after the attempt did: the backend is proved. How the attempt ends is told apart. */
  contentBegan(sent: SentWith, firstContentUs: number): void
  /** How an attempt, or a dial that came to nothing, ended: once for each. Changes memory in this tick; nobody waits for the disk. */
  attemptEnded(report: AttemptReport): void
}

/** What was observed of all offers, at one moment: it never changes, so that a plan made of it can be made again. */
export interface ObservedSnapshot {
  /** Grows with each snapshot that differs from the one before. */
  readonly version: number
  /** Null: nothing is known of it. */
  of(offer: string): ObservedOffer | null
}

/** Who sent what. */
export interface SentWith {
  readonly claim: Claim
  /** The offer's id. */
  readonly offer: string
  readonly accountId: string
  /** The operator's, or an own one of the account. */
  readonly credential: OperatorCredential | OwnSecret | null
}

export interface AttemptReport extends SentWith {
  readonly outcome: Outcome
  /** All of the request had been written. */
  readonly sent: boolean
  readonly blame: Blame
  /** How much came in which time, where that tells how fast the backend is. */
  readonly answer?: AnswerPace | null
}

/** Tokens of an answer, and how long they took: of a stream from its first content on, of a plain answer from the beginning of its attempt. */
export interface AnswerPace {
  readonly tokens: number
  readonly us: number
}

interface HealthForProbes {
  /** Those that are to be asked now: half-open ones, and those that fail one account alone, as far as is known. */
  probesDue(backends: Iterable<Backend>): readonly Backend[]
  /** What a probe may show: one that waits to be proved, else one that may be used. Null: the provider has none. */
  probeCredential(backend: Backend): OperatorCredential | null
  /** Writes down that it is asked now. */
  beginProbe(backend: Backend): Claim
  probeEnded(claim: Claim, end: ProbeEnd): void
}

/** What became of a question without tokens. */
export type ProbeEnd =
  /** It answered; `credential` is what it was shown. */
  | { readonly kind: 'answered'; readonly status: number; readonly credential: OperatorCredential | null }
  | { readonly kind: 'failed'; readonly message: string; readonly isConnection: boolean }

interface HealthForOperators {
  /** What was observed of these offers together, as it is now; null: nothing. */
  observedOf(offers: Iterable<string>): ObservedOffer | null
  /** Why a backend is out at this moment, in wall time; null when it may be used, be it for its trial. */
  exclusion(backend: BackendId): Exclusion | null
  stateOf(backend: BackendId): Standing['kind']
  /** Each backend with a cause that is not over, or is and waits to be disproved; in wall time. */
  rows(): readonly QuarantineRow[]
  /** Accounts that leave a backend alone now, in wall time. */
  coolingsAt(backend: BackendId): readonly (Cooling & { readonly accountId: string })[]
  /** An operator takes a backend out; what one said before is replaced. Answers the row that is on disk then. */
  set(wish: OperatorWish, by: By): Promise<QuarantineRow>
  /** The catalogue was replaced: what was found out of a backend says nothing of another place under its id. */
  replaced(before: ReadonlyMap<BackendId, Backend>, after: ReadonlyMap<BackendId, Backend>): void
  /** All causes of a backend end. */
  clear(backend: BackendId, by: By): Promise<QuarantineRow>
}

interface HealthForKeeping {
  /** What changed since it was taken last, of at most so many offers and sessions: to be kept on disk. */
  takeLearned(offersMax: number, sessionsMax: number): Omit<Learned, 'expired'>
}

export interface OperatorWish {
  readonly backend: BackendId
  readonly reason: string
  /** Null: until it is cleared. */
  readonly forMs: number | null
}
