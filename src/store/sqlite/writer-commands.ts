import type {
  Account,
  BackendId,
  Key,
  ManagementKey,
  OwnCredential,
  QuarantineRow,
  StoredThing,
} from '../../domain/index.ts'
import type { ManagementKeyEnd, NewManagementKey } from '../admin-contract.ts'
import type {
  NewOwnCredential,
  OperatorCauseChange,
  OwnCredentialChange,
  OwnCredentialEnd,
  Resealed,
} from '../backends-contract.ts'
import type { ChangeNote } from '../change-note.ts'
import type { Entry, NewAccount, NewEntry, NewKey } from '../contract.ts'
import type { LotEnd } from '../credits-contract.ts'
import type { AccountUpdate, KeyUpdate } from '../keys-contract.ts'
import type { ProofStep } from '../proof-contract.ts'
import type {
  ChangedWebhook,
  EventTry,
  ResealedWebhook,
  Webhook,
  WebhookEvent,
  WebhookWish,
} from '../webhooks-contract.ts'
import type { Command, CommandAnswers } from './batch.ts'

/** The writes that somebody waits for with an answer of their own, as commands; what becomes of a command is the client's. */
export abstract class WriterCommands {
  protected abstract command<K extends Command['kind']>(
    command: Extract<Command, { kind: K }>,
    note?: ChangeNote | null,
  ): Promise<CommandAnswers[K]>
  protected abstract wallMs(): number

  createAccount(account: NewAccount, note?: ChangeNote): Promise<Account> {
    return this.command<'account'>({ kind: 'account', account }, note)
  }

  createKey(key: NewKey, note?: ChangeNote): Promise<Key> {
    return this.command<'key'>({ kind: 'key', key }, note)
  }

  revokeKey(keyId: string, note?: ChangeNote): Promise<CommandAnswers['revoke']> {
    return this.command<'revoke'>({ kind: 'revoke', keyId, atMs: this.wallMs() }, note)
  }

  updateKey(wish: KeyUpdate, note?: ChangeNote): Promise<CommandAnswers['key_change']> {
    return this.command<'key_change'>({ kind: 'key_change', wish }, note)
  }

  updateAccount(wish: AccountUpdate, note?: ChangeNote): Promise<Account> {
    return this.command<'account_change'>({ kind: 'account_change', wish }, note)
  }

  enter(entry: NewEntry, note?: ChangeNote): Promise<Entry> {
    return this.command<'entry'>({ kind: 'entry', entry }, note)
  }

  endLot(end: LotEnd): Promise<Entry | null> {
    return this.command<'lot_end'>({ kind: 'lot_end', end })
  }

  setWebhook(wish: WebhookWish, note?: ChangeNote): Promise<ChangedWebhook> {
    return this.command<'webhook'>({ kind: 'webhook', wish }, note)
  }

  removeWebhook(accountId: string, note?: ChangeNote): Promise<Webhook> {
    return this.command<'webhook_end'>({ kind: 'webhook_end', accountId }, note)
  }

  testWebhook(accountId: string, atMs: number, note?: ChangeNote): Promise<WebhookEvent> {
    return this.command<'webhook_test'>({ kind: 'webhook_test', accountId, atMs }, note)
  }

  eventTried(end: EventTry): Promise<number> {
    return this.command<'event_tried'>({ kind: 'event_tried', end })
  }

  resealWebhooks(rows: readonly ResealedWebhook[]): Promise<number> {
    return this.command<'reseal_webhooks'>({ kind: 'reseal_webhooks', rows })
  }

  pruneEvents(beforeMs: number): Promise<number> {
    return this.command<'prune_events'>({ kind: 'prune_events', beforeMs })
  }

  createManagementKey(key: NewManagementKey, note?: ChangeNote): Promise<ManagementKey> {
    return this.command<'management_key'>({ kind: 'management_key', key }, note)
  }

  revokeManagementKey(wish: ManagementKeyEnd, note?: ChangeNote): Promise<ManagementKey> {
    return this.command<'management_key_end'>({ kind: 'management_key_end', wish }, note)
  }

  forgetAnswers(beforeMs: number): Promise<number> {
    return this.command<'forget_answers'>({ kind: 'forget_answers', beforeMs })
  }

  setOperatorCause(change: OperatorCauseChange, note?: ChangeNote): Promise<QuarantineRow> {
    return this.command<'operator_cause'>({ kind: 'operator_cause', change }, note)
  }

  clearQuarantine(backend: BackendId, note?: ChangeNote): Promise<QuarantineRow> {
    return this.command<'quarantine_end'>({ kind: 'quarantine_end', backend }, note)
  }

  createOwnCredential(credential: NewOwnCredential, note?: ChangeNote): Promise<OwnCredential> {
    return this.command<'own_credential'>({ kind: 'own_credential', credential }, note)
  }

  updateOwnCredential(change: OwnCredentialChange, note?: ChangeNote): Promise<OwnCredential> {
    return this.command<'own_credential_change'>({ kind: 'own_credential_change', change }, note)
  }

  deleteOwnCredential(wish: OwnCredentialEnd, note?: ChangeNote): Promise<OwnCredential> {
    return this.command<'own_credential_end'>({ kind: 'own_credential_end', wish }, note)
  }

  markProven({ from, to, sums }: ProofStep): Promise<boolean> {
    return this.command<'proven'>({ kind: 'proven', step: { from, to, sums }, atMs: this.wallMs() })
  }

  keepStored(things: readonly StoredThing[]): Promise<number> {
    return this.command<'keep_stored'>({ kind: 'keep_stored', things })
  }

  forgetStored(accountId: string, ids: readonly string[]): Promise<number> {
    return this.command<'forget_stored'>({ kind: 'forget_stored', accountId, ids })
  }

  pruneStored(beforeMs: number): Promise<number> {
    return this.command<'prune_stored'>({ kind: 'prune_stored', beforeMs })
  }

  resealOwnCredentials(rows: readonly Resealed[], note?: ChangeNote): Promise<number> {
    return this.command<'reseal'>({ kind: 'reseal', rows }, note)
  }
}
