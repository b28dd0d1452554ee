import type { AccountKind } from '../../src/domain/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import type { StoreDouble } from '../support/store-double.ts'

/** A ledger and what it should be, side by side. */
export interface LedgerWorld {
  readonly ledger: Ledger
  readonly double: StoreDouble
  readonly model: Model
  requests: number
  entered: number
}

/** What the ledger should be: three numbers per account, the open holds, what ended ones were charged, and what waits for the disk. */
export interface Model {
  readonly accounts: { readonly kind: AccountKind; balance: number; held: number; debits: number }[]
  readonly open: Map<string, OpenInModel>
  readonly charged: Map<string, number>
  /** The account of each request that ended, and what of it was given back, as far as that is on disk. */
  readonly payers: Map<string, number>
  readonly refunded: Map<string, number>
  entered: number
  queued: Effect[]
  /** Of each batch that is not acknowledged yet. */
  readonly batches: (() => void)[][]
  isFailing: boolean
  isRefusing: boolean
}

export interface OpenInModel {
  readonly at: number
  amount: number
  /** Among those queued, until it is committed. */
  readonly hold: Effect
  /** Its settlement has taken the hold's place: nothing else ends it. */
  isEnding: boolean
}

/** What becomes true in memory once the caller is told of the commit, or of its failure; a settlement is kept instead. */
export interface Effect {
  /** What the disk says of it; false: it was refused, which `failed` tells. */
  readonly commits?: () => boolean
  readonly written: () => void
  readonly failed: (() => void) | 'kept'
}

/** What an account of the model may still use. */
export const availableOf = ({ balance, held, debits }: Model['accounts'][number]): number => balance - held - debits
