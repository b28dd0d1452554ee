import type { Money, Usage } from '../../domain/index.ts'
import type { TimingSplit } from '../../store/index.ts'

/** What was tried at one backend, in order. */
export interface SmokeReport {
  readonly backend: string
  /** Null: it offers none, and nothing was sent. */
  readonly model: string | null
  readonly probes: readonly SmokeProbe[]
}

/** `hang_up` leaves in the middle of a stream; `several` come at once. */
export type ProbeKind = 'plain' | 'stream' | 'hang_up' | 'several'

/** One request, and what the gateway itself recorded of it. */
export interface SmokeProbe {
  readonly kind: ProbeKind
  readonly isOk: boolean
  readonly requestId: string | null
  /** Of the answer; null when none came. */
  readonly status: number | null
  /** How the last attempt ended; null when there was none. */
  readonly outcome: string | null
  readonly connection: string | null
  readonly timing: TimingSplit | null
  readonly usage: Usage | null
  /** As accounts would be charged; null when nothing is settled, or the offer has no price. */
  readonly cost: Money | null
  /** For people: what came of it. No secret. */
  readonly message: string
  /** What to do about it; null when nothing. */
  readonly advice: string | null
}
