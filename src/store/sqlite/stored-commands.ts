import type { SQLQueryBindings } from 'bun:sqlite'
import type { StoredThing } from '../../domain/index.ts'
import { done, type Runners } from './command-end.ts'
import { runSql } from './run-sql.ts'

/** The commands of `StoredWrites`, as they cross to the writer thread. */
export type StoredCommand =
  | { readonly kind: 'keep_stored'; readonly things: readonly StoredThing[] }
  | { readonly kind: 'forget_stored'; readonly accountId: string; readonly ids: readonly string[] }
  | { readonly kind: 'prune_stored'; readonly beforeMs: number }

/** What each of them answers when it was done: how many rows. */
export interface StoredAnswers {
  readonly keep_stored: number
  readonly forget_stored: number
  readonly prune_stored: number
}

const SQL = {
  keep: `INSERT INTO stored (account_id, id, kind, backend, credential, is_own, model, told, created_at_ms, until_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, id) DO UPDATE SET kind = excluded.kind, backend = excluded.backend,
    credential = excluded.credential, is_own = excluded.is_own, model = excluded.model, told = excluded.told,
    created_at_ms = excluded.created_at_ms, until_ms = excluded.until_ms`,
  forget: `DELETE FROM stored WHERE account_id = ? AND id = ?`,
  prune: `DELETE FROM stored WHERE (account_id, id) IN (SELECT account_id, id FROM stored WHERE until_ms < ? LIMIT 500)`,
}

export const STORED_RUNNERS: Runners<StoredCommand, StoredAnswers> = {
  keep_stored: (db, { things }) => done(sumOf(things, (thing) => runSql(db, SQL.keep, ...valuesOf(thing)))),
  forget_stored: (db, { accountId, ids }) => done(sumOf(ids, (id) => runSql(db, SQL.forget, accountId, id))),
  prune_stored: (db, { beforeMs }) => done(runSql(db, SQL.prune, beforeMs)),
}

const sumOf = <T>(rows: readonly T[], change: (row: T) => number): number =>
  rows.reduce((count, row) => count + change(row), 0)

const valuesOf = (thing: StoredThing): SQLQueryBindings[] => [
  thing.accountId,
  thing.id,
  thing.kind,
  thing.backend,
  thing.credential,
  thing.isOwn,
  thing.model,
  thing.told === null ? null : JSON.stringify(thing.told),
  thing.createdAtMs,
  thing.untilMs,
]
