import type { Account, Checkpoint, Hold, Key, Money } from '../../src/domain/index.ts'
import type { Entry, RequestRecord, SettlementView } from '../../src/store/index.ts'

/** What is "on disk" in a store double. Tests look into it, and fill it. */
export interface Tables {
  readonly accounts: Map<string, { readonly account: Account; readonly balance: Money; readonly createdAtMs: number }>
  /** By key id. */
  readonly keys: Map<string, { readonly key: Key; readonly hash: string; readonly createdAtMs: number }>
  /** Open holds by request id. */
  readonly holds: Map<string, { readonly hold: Hold; readonly checkpoint: Checkpoint | null }>
  /** By request id. */
  readonly settlements: Map<string, SettlementView>
  readonly entries: Entry[]
  /** By request id. */
  readonly records: Map<string, RequestRecord>
}

/** Tables with nothing in them. */
export const emptyTables = (): Tables => ({
  accounts: new Map(),
  keys: new Map(),
  holds: new Map(),
  settlements: new Map(),
  entries: [],
  records: new Map(),
})
