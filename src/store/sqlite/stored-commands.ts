import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { StoredThing } from '../../domain/index.ts'

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

/** Does one command inside the caller's transaction. Throws what a constraint refuses: then it changed nothing. */
export function runStoredCommand(
  db: Database,
  command: StoredCommand,
): { readonly kind: 'done'; readonly answer: number } {
  return { kind: 'done', answer: changed(db, command) }
}

function changed(db: Database, command: StoredCommand): number {
  const run = (sql: string, ...values: SQLQueryBindings[]): number =>
    db.prepare<unknown, SQLQueryBindings[]>(sql).run(...values).changes
  switch (command.kind) {
    case 'keep_stored':
      return command.things.reduce((count, thing) => count + run(SQL.keep, ...valuesOf(thing)), 0)
    case 'forget_stored':
      return command.ids.reduce((count, id) => count + run(SQL.forget, command.accountId, id), 0)
    case 'prune_stored':
      return run(SQL.prune, command.beforeMs)
  }
}

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
