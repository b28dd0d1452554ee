import type {
  Account,
  Checkpoint,
  Hold,
  Key,
  ManagementKey,
  Money,
  ObservedSlice,
  QuarantineRow,
  StickyRow,
  StoredThing,
} from '../../src/domain/index.ts'
import type {
  AuditRow,
  Entry,
  KeptAnswer,
  PromoLot,
  RequestRecord,
  SealedContent,
  SealedCredential,
  SealedWebhook,
  SettlementView,
  WebhookEvent,
  WindowPart,
} from '../../src/store/index.ts'

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
  /** By account. */
  readonly webhooks: Map<string, SealedWebhook>
  /** By number. */
  readonly events: Map<number, WebhookEvent>
  /** By number, each with what requests used of it. */
  readonly lots: Map<number, { readonly lot: PromoLot; readonly used: ReadonlyMap<string, number> }>
  /** By id. */
  readonly managementKeys: Map<string, { readonly key: ManagementKey; readonly hash: string }>
  readonly audit: AuditRow[]
  /** By actor and idempotency key, one to a line. */
  readonly keptAnswers: Map<string, KeptAnswer & { readonly atMs: number }>
  /** By key and first moment. */
  readonly windows: Map<string, WindowPart>
  /** By request id. */
  readonly records: Map<string, RequestRecord>
  /** By backend. */
  readonly quarantine: Map<string, QuarantineRow>
  /** By request id. */
  readonly contents: Map<string, SealedContent>
  /** By id. */
  readonly ownCredentials: Map<string, SealedCredential>
  /** By offer, length and first moment. */
  readonly observed: Map<string, ObservedSlice>
  /** By account and id. */
  readonly stored: Map<string, StoredThing>
  /** By account, session and model. */
  readonly sticky: Map<string, StickyRow>
}

/** Tables with nothing in them. */
export const emptyTables = (): Tables => ({
  accounts: new Map(),
  keys: new Map(),
  holds: new Map(),
  settlements: new Map(),
  entries: [],
  webhooks: new Map(),
  events: new Map(),
  lots: new Map(),
  managementKeys: new Map(),
  audit: [],
  keptAnswers: new Map(),
  windows: new Map(),
  records: new Map(),
  quarantine: new Map(),
  contents: new Map(),
  ownCredentials: new Map(),
  observed: new Map(),
  sticky: new Map(),
  stored: new Map(),
})
