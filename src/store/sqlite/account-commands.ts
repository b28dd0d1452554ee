import type { Database, SQLQueryBindings } from 'bun:sqlite'
import {
  type Account,
  type AccountKind,
  type AccountTerms,
  budgetsOrNull,
  changedAccountTerms,
  changedTerms,
  type Key,
  type KeyTerms,
  limitsOrNull,
  type Money,
  NO_TERMS,
} from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type { NewAccount, NewKey } from '../contract.ts'
import type { AccountUpdate, KeyUpdate } from '../keys-contract.ts'
import { type CommandEnd, done, noAccount, outdated, type Runners, refused } from './command-end.ts'
import { readPolicy, writePolicy } from './read-policy.ts'

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
  account: `SELECT * FROM account WHERE id = ?`,
  updateAccount: `UPDATE account SET name = ?, disabled = ?, models = ?, policy = ?, byok_fallback = ?, store_content = ?, version = version + 1
    WHERE id = ? RETURNING *`,
  insertKey: `INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  setTerms: `UPDATE key SET ${TERMS} WHERE id = ? RETURNING *`,
  key: `SELECT * FROM key WHERE id = ?`,
  updateKey: `UPDATE key SET name = ?, version = version + 1 WHERE id = ?`,
  revokeKey: `UPDATE key SET version = version + (revoked_at_ms IS NULL), revoked_at_ms = coalesce(revoked_at_ms, ?)
    WHERE id = ? RETURNING *`,
}

interface AccountColumns {
  readonly id: string
  readonly name: string
  readonly kind: AccountKind
  readonly disabled: number
  readonly version: number
  readonly models: string | null
  readonly policy: string | null
  readonly byok_fallback: AccountTerms['byokFallback']
  readonly store_content: number
}

interface KeyColumns {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly version: number
  readonly revoked_at_ms: number | null
  readonly models: string | null
  readonly expires_at_ms: number | null
  readonly addresses: string | null
  readonly budget_total: Money | null
  readonly budget_day: Money | null
  readonly budget_week: Money | null
  readonly budget_month: Money | null
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: number | null
  readonly concurrency: number | null
  readonly disabled: number
  readonly policy: string | null
}

export const ACCOUNT_RUNNERS: Runners<AccountCommand, AccountAnswers> = {
  account: (db, { account }) => done(insertAccount(db, account)),
  account_change: (db, { wish }) => updateAccount(db, wish),
  key: (db, { key }) => done(insertKey(db, key)),
  key_change: (db, { wish }) => updateKey(db, wish),
  revoke: (db, { keyId, atMs }) => revokeKey(db, keyId, atMs),
}

const noKey = (id: string): CommandEnd<KeyAndHash> => refused('not_found', `There is no key '${id}'.`)

function insertAccount(db: Database, { id, name, kind, createdAtMs, ...change }: NewAccount): Account {
  const terms = changedAccountTerms(NO_TERMS, change)
  db.prepare<unknown, SQLQueryBindings[]>(SQL.insertAccount).run(id, name, kind, createdAtMs, ...termsValues(terms))
  return { id, name, kind, disabled: false, ...terms, version: 1 }
}

function updateAccount(db: Database, { id, change, version }: AccountUpdate): CommandEnd<Account> {
  const old = db.prepare<AccountColumns, [string]>(SQL.account).get(id)
  if (old === null) return noAccount(id)
  if (version !== null && version !== old.version) return outdated(old.version)
  const { name = old.name, disabled = old.disabled !== 0 } = change
  const terms = changedAccountTerms(accountTermsOf(old), change)
  const values = [name, disabled, ...termsValues(terms), id]
  const row = db.prepare<AccountColumns, SQLQueryBindings[]>(SQL.updateAccount).get(...values)
  assert(row !== null, 'the account was there')
  return done({ id, name, kind: row.kind, disabled, ...terms, version: row.version })
}

/** In the order of both statements. */
const termsValues = ({ models, policy, byokFallback, storeContent }: AccountTerms): SQLQueryBindings[] => [
  models && JSON.stringify(models),
  writePolicy(policy),
  byokFallback,
  storeContent,
]

const accountTermsOf = (row: AccountColumns): AccountTerms => ({
  models: parsed(row.models),
  policy: readPolicy(parsed(row.policy)),
  byokFallback: row.byok_fallback,
  storeContent: row.store_content !== 0,
})

const parsed = (json: string | null) => (json === null ? null : JSON.parse(json))

function insertKey(db: Database, key: NewKey): Key {
  const { id, accountId, name, hash, prefix, createdAtMs } = key
  db.prepare<unknown, SQLQueryBindings[]>(SQL.insertKey).run(id, accountId, name, hash, prefix, createdAtMs)
  return keyOf(setTerms(db, id, key))
}

function updateKey(db: Database, { id, change, version }: KeyUpdate): CommandEnd<KeyAndHash> {
  const old = db.prepare<KeyColumns, [string]>(SQL.key).get(id)
  if (old === null) return noKey(id)
  if (version !== null && version !== old.version) return outdated(old.version)
  db.prepare<unknown, SQLQueryBindings[]>(SQL.updateKey).run(change.name ?? old.name, id)
  return keyAndHash(setTerms(db, id, changedTerms(keyOf(old), change)))
}

/** Revoking twice keeps the first time. */
function revokeKey(db: Database, id: string, atMs: number): CommandEnd<KeyAndHash> {
  const row = db.prepare<KeyColumns, SQLQueryBindings[]>(SQL.revokeKey).get(atMs, id)
  return row === null ? noKey(id) : keyAndHash(row)
}

const keyAndHash = (row: KeyColumns): CommandEnd<KeyAndHash> => done({ key: keyOf(row), hash: row.hash })

function setTerms(db: Database, id: string, terms: KeyTerms): KeyColumns {
  const { models, expiresAtMs, addresses, budgets, limits, policy, disabled } = terms
  const row = db
    .prepare<KeyColumns, SQLQueryBindings[]>(SQL.setTerms)
    .get(
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
      id,
    )
  assert(row !== null, 'the key was there')
  return row
}

function keyOf(row: KeyColumns): Key {
  const models: string[] | null = parsed(row.models)
  const addresses: string[] | null = parsed(row.addresses)
  const { budget_total: total, budget_day: day, budget_week: week, budget_month: month } = row
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, concurrency } = row
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    disabled: row.disabled !== 0,
    models,
    expiresAtMs: row.expires_at_ms,
    addresses,
    budgets: budgetsOrNull({ total, day, week, month }),
    limits: limitsOrNull({ requestsPerMinute, tokensPerMinute, concurrency }),
    policy: readPolicy(parsed(row.policy)),
    revoked: row.revoked_at_ms !== null,
    version: row.version,
  }
}
