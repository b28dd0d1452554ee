import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import {
  type Account,
  type AccountTerms,
  changedAccountTerms,
  changedTerms,
  type Key,
  type KeyTerms,
  NO_TERMS,
} from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type { NewAccount, NewKey } from '../contract.ts'
import type { AccountUpdate, KeyUpdate } from '../keys-contract.ts'
import { type CommandEnd, done, noAccount, outdated, type Runners, refused } from './command-end.ts'
import { writePolicy } from './read-policy.ts'
import { accountRow, keyRow } from './rows.ts'
import { runSql } from './run-sql.ts'
import { account, key } from './schema.ts'

/** The writes of accounts and keys, as they cross to the writer thread. */
export type AccountCommand =
  | { readonly kind: 'account'; readonly account: NewAccount }
  | { readonly kind: 'account_change'; readonly wish: AccountUpdate }
  | { readonly kind: 'key'; readonly key: NewKey }
  | { readonly kind: 'key_change'; readonly wish: KeyUpdate }
  | { readonly kind: 'revoke'; readonly keyId: string; readonly atMs: number }

/** What each of them answers when it was done. The hash finds what is kept in memory. */
export interface AccountAnswers {
  readonly account: Account
  readonly account_change: Account
  readonly key: Key
  readonly key_change: KeyAndHash
  readonly revoke: KeyAndHash
}

interface KeyAndHash {
  readonly key: Key
  readonly hash: string
}

const TERMS = `models = ?, expires_at_ms = ?, addresses = ?, budget_total = ?, budget_day = ?, budget_week = ?, budget_month = ?,
  requests_per_minute = ?, tokens_per_minute = ?, concurrency = ?, policy = ?, disabled = ?`

const SQL = {
  insertAccount: `INSERT INTO account (id, name, kind, created_at_ms, models, policy, byok_fallback, store_content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  updateAccount: `UPDATE account SET name = ?, disabled = ?, models = ?, policy = ?, byok_fallback = ?, store_content = ?, version = version + 1
    WHERE id = ?`,
  insertKey: `INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  setTerms: `UPDATE key SET ${TERMS} WHERE id = ?`,
  updateKey: `UPDATE key SET name = ?, version = version + 1 WHERE id = ?`,
  revokeKey: `UPDATE key SET version = version + (revoked_at_ms IS NULL), revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?`,
}

export const ACCOUNT_RUNNERS: Runners<AccountCommand, AccountAnswers> = {
  account: (db, { account }) => done(insertAccount(db, account)),
  account_change: (db, { wish }) => updateAccount(db, wish),
  key: (db, { key }) => done(insertKey(db, key)),
  key_change: (db, { wish }) => updateKey(db, wish),
  revoke: (db, { keyId, atMs }) => revokeKey(db, keyId, atMs),
}

function insertAccount(db: Database, { id, name, kind, createdAtMs, ...change }: NewAccount): Account {
  const terms = changedAccountTerms(NO_TERMS, change)
  runSql(db, SQL.insertAccount, id, name, kind, createdAtMs, ...termsValues(terms))
  return { id, name, kind, disabled: false, ...terms, version: 1 }
}

function updateAccount(db: Database, { id, change, version }: AccountUpdate): CommandEnd<Account> {
  const row = drizzle(db).select().from(account).where(eq(account.id, id)).all()[0]
  if (row === undefined) return noAccount(id)
  const old = accountRow(row).account
  if (version !== null && version !== old.version) return outdated(old.version)
  const { name = old.name, disabled = old.disabled } = change
  const terms = changedAccountTerms(old, change)
  runSql(db, SQL.updateAccount, name, disabled, ...termsValues(terms), id)
  return done({ ...old, name, disabled, ...terms, version: old.version + 1 })
}

/** In the order of both statements. */
const termsValues = ({ models, policy, byokFallback, storeContent }: AccountTerms): SQLQueryBindings[] => [
  models && JSON.stringify(models),
  writePolicy(policy),
  byokFallback,
  storeContent,
]

function insertKey(db: Database, key: NewKey): Key {
  const { id, accountId, name, hash, prefix, createdAtMs } = key
  runSql(db, SQL.insertKey, id, accountId, name, hash, prefix, createdAtMs)
  return setTerms(db, id, key).key
}

function updateKey(db: Database, { id, change, version }: KeyUpdate): CommandEnd<KeyAndHash> {
  const old = findKey(db, id)?.key
  if (old === undefined) return noKey(id)
  if (version !== null && version !== old.version) return outdated(old.version)
  runSql(db, SQL.updateKey, change.name ?? old.name, id)
  return done(setTerms(db, id, changedTerms(old, change)))
}

/** Revoking twice keeps the first time. */
function revokeKey(db: Database, id: string, atMs: number): CommandEnd<KeyAndHash> {
  runSql(db, SQL.revokeKey, atMs, id)
  const revoked = findKey(db, id)
  return revoked === null ? noKey(id) : done(revoked)
}

const noKey = (id: string): CommandEnd<KeyAndHash> => refused('not_found', `There is no key '${id}'.`)

function setTerms(db: Database, id: string, terms: KeyTerms): KeyAndHash {
  const { models, expiresAtMs, addresses, budgets, limits, policy, disabled } = terms
  const values: SQLQueryBindings[] = [
    models && JSON.stringify(models),
    expiresAtMs,
    addresses && JSON.stringify(addresses),
    budgets?.total ?? null,
    budgets?.day ?? null,
    budgets?.week ?? null,
    budgets?.month ?? null,
    limits?.requestsPerMinute ?? null,
    limits?.tokensPerMinute ?? null,
    limits?.concurrency ?? null,
    writePolicy(policy),
    disabled,
  ]
  runSql(db, SQL.setTerms, ...values, id)
  const changed = findKey(db, id)
  assert(changed !== null, 'the key was there')
  return changed
}

function findKey(db: Database, id: string): KeyAndHash | null {
  const row = drizzle(db).select().from(key).where(eq(key.id, id)).all()[0]
  return row === undefined ? null : { key: keyRow(row), hash: row.hash }
}
