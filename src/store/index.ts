export type {
  AccountRow,
  Durable,
  Entry,
  EntryKind,
  MainReads,
  NewAccount,
  NewEntry,
  NewKey,
  Page,
  Reader,
  Recovery,
  RequestRecord,
  SettlementRow,
  SettlementView,
  Store,
  StoredRecord,
  TimingSplit,
  VerifyReport,
  Writer,
  WriterStats,
} from './contract.ts'
export { openStore, type StoreOptions } from './open.ts'
export type { FaultPanel } from './sqlite/faults.ts'
export { FolderLocked } from './sqlite/lock.ts'
