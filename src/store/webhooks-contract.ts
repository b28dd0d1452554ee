import type { Money } from '../domain/index.ts'
import type { ChangeNote } from './change-note.ts'
import type { Page } from './page.ts'

/** Where an account is told of its money. */
export interface Webhook {
  readonly accountId: string
  readonly url: string
  /** A balance below this is told; null: none is. */
  readonly lowBalance: Money | null
  readonly updatedAtMs: number
}

/** With what signs, sealed. */
export interface SealedWebhook extends Webhook {
  readonly sealed: string
}

/** As it is after a change. */
export interface ChangedWebhook extends Webhook {
  readonly hasNewSecret: boolean
}

/** As `SealedWebhook`; null keeps what signs. */
export interface WebhookWish extends Webhook {
  readonly sealed: string | null
}

export type WebhookEventKind = 'balance.low' | 'budget.reached' | 'test'

/** What an account is to be told, or was. */
export interface WebhookEvent {
  readonly seq: number
  /** The same however often it is sent: its receiver tells repetitions by it. */
  readonly id: string
  readonly accountId: string
  readonly kind: WebhookEventKind
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAtMs: number
  readonly state: 'waiting' | 'delivered' | 'dead'
  /** How often it was sent. */
  readonly tries: number
  /** Null when it is not sent again. */
  readonly nextAtMs: number | null
  /** What went wrong with it last. */
  readonly fault: string | null
}

/** An event whose time has come, with where it goes. */
export interface DueEvent extends WebhookEvent {
  readonly url: string
  readonly sealed: string
}

/** What became of an event that was sent once more. */
export interface EventTry extends Pick<WebhookEvent, 'seq' | 'state' | 'nextAtMs' | 'fault'> {}

export interface ResealedWebhook {
  readonly accountId: string
  readonly from: string
  readonly to: string
}

/**
 * A part of `Writer`. The writer itself puts an event beside the settlement or entry that brings a balance below its mark, or a key's spending to a share of
 * its budget, in the same transaction.
 */
export interface WebhookWrites {
  /** Makes an account's webhook or changes it. Rejects with `not_found` without `sealed` when there is none. */
  setWebhook(wish: WebhookWish, note?: ChangeNote): Promise<ChangedWebhook>
  /** Events that wait for it are dead then. Rejects with `not_found` when there is none. */
  removeWebhook(accountId: string, note?: ChangeNote): Promise<Webhook>
  /** An event that tells nothing. Rejects with `not_found` when the account has no webhook. */
  testWebhook(accountId: string, atMs: number, note?: ChangeNote): Promise<WebhookEvent>
  eventTried(end: EventTry): Promise<number>
  /** Of those that are still sealed so. Answers how many there were. */
  resealWebhooks(rows: readonly ResealedWebhook[]): Promise<number>
  /** Forgets some of the events that were made before then and wait no more. Answers how many: 0 when none is left. */
  pruneEvents(beforeMs: number): Promise<number>
}

/** A part of `Reader`. */
export interface WebhookReads {
  webhook(accountId: string): Promise<SealedWebhook | null>
  /** By account; the cursor is an account's id. */
  webhooks(page: Page): Promise<readonly SealedWebhook[]>
  /** Of each account the event that has waited longest, if its time has come; at most so many. */
  eventsDue(nowMs: number, eventsMax: number): Promise<readonly DueEvent[]>
  /** Newest first; the cursor is a `seq`. */
  events(accountId: string, page: Page): Promise<readonly WebhookEvent[]>
}
