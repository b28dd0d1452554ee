import type { AccountContext } from '../../domain/index.ts'
import type { OpenHold, Settled } from '../../ledger/index.ts'
import type { DispatchEnd, Ending, PreparedRequest } from '../handover.ts'
import type { HoldGuard } from '../hold-guard.ts'

/** What delivering needs of its request. */
export interface Delivery {
  readonly prepared: PreparedRequest
  readonly context: AccountContext
  readonly open: OpenHold
  readonly guard: HoldGuard
  /** Ends the hold, once. */
  readonly settle: (ending: Ending) => Settled
  /** As `settle`, with the hold in one row while that is not on its way to the disk; null when it is. Rejects when it cannot be written. */
  readonly settleWithHold: (ending: Ending) => Promise<Settled> | null
  /** The request is over once this settlement is on disk. */
  readonly over: (settled: Settled) => void
}

export type Answered = Extract<DispatchEnd, { kind: 'answered' }>
export type Streaming = Extract<DispatchEnd, { kind: 'streaming' }>
export type Unserved = Extract<DispatchEnd, { kind: 'unserved' }>
