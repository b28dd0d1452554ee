export type { AdminMainReads, AdminReads, AdminWrites, ManagementKeyEnd, NewManagementKey } from './admin-contract.ts'
export type {
  BackendReads,
  BackendWrites,
  NewOwnCredential,
  OperatorCauseChange,
  OwnCredentialChange,
  OwnCredentialEnd,
  Resealed,
  SealedCredential,
  UsageAnswer,
  UsageKey,
  UsageQuery,
  UsageRow,
} from './backends-contract.ts'
export { backupOffline } from './backup-offline.ts'
export {
  type AuditFilter,
  type AuditRow,
  type By,
  type ChangeNote,
  type Claim,
  changeNote,
  type KeptAnswer,
  SYSTEM,
} from './change-note.ts'
export type {
  AccountRow,
  ClientFacts,
  Durable,
  Entry,
  EntryKind,
  KeptAccount,
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
  Writer,
  WriterStats,
} from './contract.ts'
export type { CreditReads, CreditWrites, LotEnd, PromoLot, Refundable } from './credits-contract.ts'
export { folderFailure } from './folder-unusable.ts'
export { isDataFolder } from './is-data-folder.ts'
export type {
  AccountFigures,
  AccountUpdate,
  KeyChange,
  KeyMainReads,
  KeyReads,
  KeySpend,
  KeyUpdate,
  KeyWrites,
  ListedKey,
  ListedKeysWish,
  WindowPart,
} from './keys-contract.ts'
export type { Learned, LearnedReads, LearnedWrites } from './learned-contract.ts'
export { moveFolder } from './move-folder.ts'
export { openStore, type StoreOptions } from './open.ts'
export type {
  BackupReport,
  PostingRow,
  Postings,
  PostingsCursor,
  PostingsPage,
  ProofMark,
  ProofReads,
  ProofStep,
  ProofWrites,
  VerifyReport,
} from './proof-contract.ts'
export type { RecordBounds, RecordsReads, RecordsWrites, SealedContent } from './records-contract.ts'
export { type Restored, restoreFolder } from './restore-folder.ts'
export { backupsOf } from './sqlite/backup-folder.ts'
export type { FaultPanel } from './sqlite/faults.ts'
export { FolderLocked } from './sqlite/lock.ts'
export { MigrationError } from './sqlite/migrate.ts'
export { verifyFile } from './sqlite/verify-file.ts'
export type { StoredMainReads, StoredQuery, StoredReads, StoredWrites } from './stored-contract.ts'
export type {
  ChangedWebhook,
  DueEvent,
  EventTry,
  ResealedWebhook,
  SealedWebhook,
  Webhook,
  WebhookEvent,
  WebhookReads,
  WebhookWish,
  WebhookWrites,
} from './webhooks-contract.ts'
