import type { SQLQueryBindings, Statement } from 'bun:sqlite'
import {
  type Checkpoint,
  type FoundCauses,
  type FoundFault,
  type Hold,
  type Money,
  type MoneySettings,
  ZERO,
} from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type { ChangeNote, Claim } from '../change-note.ts'
import type { WindowPart } from '../keys-contract.ts'
import { isClaimed, writeNote } from './admin-commands.ts'
import { setFoundCauses, setFoundFault } from './backend-commands.ts'
import type { AnyCommandEnd, Command } from './batch.ts'
import type { Connection } from './connection.ts'
import type { HoldValues } from './hold-values.ts'
import { type Charge, hasLots, useLots } from './lots.ts'
import { hasWebhooks, noticeBalance, noticeSpend } from './notices.ts'
import { runCommand } from './run-command.ts'
import { SETTLEMENT_COLUMNS, type SettlementValues } from './settlement-values.ts'

/** A hold on disk, with what recovery needs. */
export interface HoldOnDisk {
  readonly hold: Hold
  readonly checkpoint: Checkpoint | null
  /** What its process was told to do with it; null when that was not written down. */
  readonly crash: MoneySettings['crash'] | null
}

const SQL = {
  insertHold: `INSERT INTO hold (request_id, account_id, key_id, opened_at_ms, amount, covers, epoch) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  checkpoint: `UPDATE hold SET checkpoint_offer = ?, checkpoint_units = ?, amount = max(amount, ?) WHERE request_id = ?`,
  deleteHold: `DELETE FROM hold WHERE request_id = ?`,
  deadHolds: `SELECT hold.*, epoch.crash FROM hold JOIN epoch ON epoch.number = hold.epoch
    WHERE hold.epoch < ? ORDER BY opened_at_ms, request_id`,
  insertSettlement: `INSERT INTO settlement (${SETTLEMENT_COLUMNS.join(', ')})
    VALUES (${SETTLEMENT_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (request_id) DO NOTHING`,
  addToBalance: `UPDATE account SET balance = balance + ? WHERE id = ?`,
  addToSpend: `INSERT INTO key_spend (key_id, day, charged) VALUES (?, ?, ?)
    ON CONFLICT (key_id, day) DO UPDATE SET charged = min(charged + excluded.charged, ${Number.MAX_SAFE_INTEGER})`,
  putWindow: `INSERT INTO key_window (key_id, first_at_ms, last_at_ms, requests, tokens) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key_id, first_at_ms) DO UPDATE SET last_at_ms = excluded.last_at_ms, requests = excluded.requests, tokens = excluded.tokens`,
  pruneWindow: `DELETE FROM key_window WHERE key_id = ? AND first_at_ms < ?`,
  startEpoch: `INSERT INTO epoch (number, started_at_ms, crash) SELECT coalesce(max(number), 0) + 1, ?, ? FROM epoch RETURNING number`,
  markBatch: `UPDATE epoch SET last_batch = ? WHERE number = ?`,
  lastBatch: `SELECT last_batch FROM epoch WHERE number = ?`,
  lastSettlement: `SELECT coalesce(max(seq), 0) AS seq FROM settlement`,
}

interface HoldColumns {
  readonly request_id: string
  readonly account_id: string
  readonly key_id: string
  readonly opened_at_ms: number
  readonly amount: Hold['amount']
  readonly covers: string
  readonly checkpoint_offer: string | null
  readonly checkpoint_units: number | null
  readonly crash: MoneySettings['crash'] | null
}

const WINDOW_KEPT_MS = 120_000 // a part is of no use a minute after its end, which is about a second after its beginning

/** The writes of the ledger file, prepared once for a connection. Each changes nothing when it throws. */
export class LedgerStatements {
  readonly #db: Connection

  constructor(db: Connection) {
    this.#db = db
  }

  insertHold(values: HoldValues, epoch: number): void {
    this.#run('insertHold', ...values, epoch)
  }

  /** Nothing happens when the hold has ended. */
  checkpoint(requestId: string, { offer, deliveredUnits, amount = ZERO }: Checkpoint): void {
    this.#run('checkpoint', offer, deliveredUnits, amount, requestId)
  }

  /** False when the request had been settled already: then nothing changed. */
  insertSettlement(values: SettlementValues): boolean {
    return this.#run('insertSettlement', ...values) > 0
  }

  deleteHold(requestId: string): void {
    this.#run('deleteHold', requestId)
  }

  addToBalance(accountId: string, amount: number): void {
    this.#run('addToBalance', amount, accountId)
  }

  hasLots(): boolean {
    return hasLots(this.#db)
  }

  /** Before the account's balance is lowered by these settlements. */
  useLots(accountId: string, charges: readonly Charge[]): void {
    useLots(this.#db, accountId, charges)
  }

  /** More that a key's requests of a day were charged. */
  addToSpend(keyId: string, day: number, amount: Money): void {
    this.#run('addToSpend', keyId, day, amount)
  }

  /** A part of a key's window as it is now; parts that are over long since go. */
  putWindow({ keyId, firstAtMs, lastAtMs, requests, tokens }: WindowPart): void {
    this.#run('pruneWindow', keyId, firstAtMs - WINDOW_KEPT_MS)
    this.#run('putWindow', keyId, firstAtMs, lastAtMs, requests, tokens)
  }

  putFoundCauses(causes: FoundCauses): void {
    setFoundCauses(this.#db, causes)
  }

  putFoundFault(found: FoundFault): void {
    setFoundFault(this.#db, found)
  }

  hasWebhooks(): boolean {
    return hasWebhooks(this.#db)
  }

  noticeBalance(accountId: string, atMs: number): void {
    noticeBalance(this.#db, accountId, atMs)
  }

  noticeSpend(keyId: string, day: number, atMs: number): void {
    noticeSpend(this.#db, keyId, day, atMs)
  }

  /** Throws what a constraint refuses, and `GatewayError` for a row that cannot be read: the caller undoes what was done by then. */
  runCommand(command: Command): AnyCommandEnd {
    return runCommand(this.#db, command)
  }

  isClaimed(claim: Claim): boolean {
    return isClaimed(this.#db, claim)
  }

  writeNote(note: ChangeNote, answer: unknown): void {
    writeNote(this.#db, note, answer)
  }

  /** All of `work` or, when it throws, nothing of it. Inside the caller's transaction. */
  atomically<R>(work: () => R): R {
    this.#db.run('SAVEPOINT one')
    try {
      return work()
    } catch (error) {
      // After some failures SQLite has undone the whole transaction by itself: then there is no savepoint left.
      if (this.#db.inTransaction) this.#db.run('ROLLBACK TO one')
      throw error
    } finally {
      if (this.#db.inTransaction) this.#db.run('RELEASE one')
    }
  }

  /** Begins a new epoch; answers its number. */
  startEpoch(wallMs: number, crash: MoneySettings['crash'] | null): number {
    const row = this.#of<{ number: number }>('startEpoch').get(wallMs, crash)
    assert(row !== null, 'a new epoch has a number')
    return row.number
  }

  /** Open holds of epochs before this one, oldest first. */
  deadHolds(epoch: number): HoldOnDisk[] {
    return this.#of<HoldColumns>('deadHolds').all(epoch).map(holdOnDisk)
  }

  markBatch(batch: number, epoch: number): void {
    this.#run('markBatch', batch, epoch)
  }

  /** The number of the last batch that is on disk; 0 when this epoch has none. */
  lastBatch(epoch: number): number {
    return this.#of<{ last_batch: number }>('lastBatch').get(epoch)?.last_batch ?? 0
  }

  /** The number of the last settlement; 0 when there is none. */
  lastSettlement(): number {
    return this.#of<{ seq: number }>('lastSettlement').get()?.seq ?? 0
  }

  #run(name: keyof typeof SQL, ...values: SQLQueryBindings[]): number {
    return this.#of(name).run(...values).changes
  }

  /** The caller names the columns that the statement of this name answers. */
  #of<R>(name: keyof typeof SQL): Statement<R, SQLQueryBindings[]> {
    return this.#db.prepare<R, SQLQueryBindings[]>(SQL[name])
  }
}

function holdOnDisk(row: HoldColumns): HoldOnDisk {
  const { checkpoint_offer: offer, checkpoint_units: deliveredUnits } = row
  return {
    hold: {
      requestId: row.request_id,
      accountId: row.account_id,
      keyId: row.key_id,
      openedAtMs: row.opened_at_ms,
      amount: row.amount,
      covers: JSON.parse(row.covers),
    },
    checkpoint: offer === null || deliveredUnits === null ? null : { offer, deliveredUnits },
    crash: row.crash,
  }
}
