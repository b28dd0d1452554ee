import type { Exchange, Slot } from '../agents/index.ts'
import type { FormReader, PassedOn, Reply, ReplyStream, RequestFacts, StreamEvent } from '../dialects/index.ts'
import type {
  Candidate,
  CoveredOffer,
  DialectName,
  EndReason,
  FailedReason,
  GatewayError,
  OperatorCredential,
  Principal,
  Skip,
  Usage,
} from '../domain/index.ts'
import type { SentWith } from '../health/index.ts'
import type { OpenHold } from '../ledger/index.ts'
import type { Upload } from './upload.ts'

// What one step hands to the next: steps know these shapes, never each other.

/** What the head's secrets say before any read: known good, or a read under way that will tell. */
export type Recognition =
  | { readonly kind: 'known'; readonly principal: Principal; readonly hash: string }
  | { readonly kind: 'reading'; readonly principal: Promise<Principal> }

/** A form, as far as it has come. */
export interface ReceivedForm {
  readonly form: FormReader
  /** From its first byte. */
  readonly body: Uint8Array
  /** What follows; null: nothing. */
  readonly upload: Upload | null
}

/** A request that was understood: the caller's raw bytes, and what the gateway read of them. */
export interface PreparedRequest {
  readonly dialect: DialectName
  readonly facts: RequestFacts
  readonly passed: PassedOn
  /** The rest of its body, which goes out while it comes in; absent: the facts have it all. */
  readonly upload?: Upload
}

/** A candidate that the account can pay, with what the hold says of it. */
export interface AffordableCandidate extends Candidate {
  readonly covered: CoveredOffer
  /** To be written into the request's limit field; null leaves it as the caller sent it. */
  readonly outputLimit: number | null
}

/** Money set aside, and who may be tried with it. */
export interface Reservation {
  readonly open: OpenHold
  readonly candidates: readonly AffordableCandidate[]
  readonly skips: readonly Skip[]
}

/**
 * What dispatching came to. `unserved.mayHaveRun` is the candidate that had the whole request when the caller left, `reported` what a
 * provider says that its refusal used.
 */
export type DispatchEnd =
  | {
      readonly kind: 'answered'
      readonly candidate: AffordableCandidate
      readonly reply: Extract<Reply, { kind: 'answer' }>
      /** What it was asked with. */
      readonly credential: OperatorCredential | null
    }
  | {
      readonly kind: 'streaming'
      readonly candidate: AffordableCandidate
      /** Of what was asked for. */
      readonly facts: RequestFacts
      readonly live: LiveStream
      readonly slot: Slot
      /** With which claim and credential, for the report of how it ended. */
      readonly sent: SentWith
    }
  | {
      readonly kind: 'unserved'
      readonly error: GatewayError
      readonly mayHaveRun: AffordableCandidate | null
      readonly reported: { readonly candidate: AffordableCandidate; readonly usage: Usage } | null
    }

/** A streamed answer at its commit point: what was held back, and what is still to come. */
export interface LiveStream {
  readonly exchange: Exchange
  readonly reply: ReplyStream
  /** The content type of bytes of a medium; null for events. */
  readonly mediaType: string | null
  readonly held: readonly StreamEvent[]
  /** Hands what comes from now on to the relay, and at once what came since the gate opened. */
  attach(observer: LiveObserver): void
}

/** What the relay needs to know of a stream. */
export interface RelayedStream extends Omit<LiveStream, 'reply'> {
  readonly reply: Pick<ReplyStream, 'finished' | 'closed' | 'closing'>
}

export interface LiveObserver {
  events(events: readonly StreamEvent[]): void
  end(): void
  broken(reason: FailedReason, message: string): void
}

/** How a relayed stream ended. */
export type RelayEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'broken'; readonly reason: FailedReason; readonly message: string }
  | { readonly kind: 'cancelled'; readonly by: 'client' | 'client_stall' | 'shutdown' | 'credit' }

/** How a request ended, for its money. */
export type Ending =
  | {
      readonly kind: 'served'
      readonly reason: EndReason
      readonly covered: CoveredOffer
      readonly usage: Usage | null
      /** Of the prompt, where it is known and the whole is not. */
      readonly promptUsage?: Usage | null | undefined
      readonly textBytes: number
    }
  | { readonly kind: 'voided'; readonly reason: EndReason }
