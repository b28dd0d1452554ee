import {
  type Account,
  changedAccountTerms,
  changedTerms,
  dayOf,
  GatewayError,
  type Key,
  type Money,
  money,
  NO_TERMS,
} from '../../src/domain/index.ts'
import type { ChangeNote, KeyMainReads, NewAccount, NewKey, Writer } from '../../src/store/index.ts'
import type { Tables } from './store-double-tables.ts'

type AccountWrites = Pick<Writer, 'createAccount' | 'updateAccount' | 'createKey' | 'updateKey' | 'revokeKey'>
type Noted = <T>(note: ChangeNote | undefined, apply: () => T) => Promise<T>

/** The writes of accounts and keys of a store double. */
export const accountWrites = (tables: Tables, noted: Noted): AccountWrites => ({
  createAccount: (account, note) => noted(note, () => writeAccount(tables, account)),
  updateAccount: ({ id, change, version }, note) =>
    noted(note, () => {
      const row = tables.accounts.get(id)
      if (row === undefined) throw new GatewayError('not_found', `There is no account ${id}.`)
      refuseOutdated(row.account, version)
      if (change.name !== undefined && change.name !== row.account.name) refuseTakenName(tables, change.name)
      const terms = changedAccountTerms(row.account, change)
      const account = { ...row.account, ...change, ...terms, version: row.account.version + 1 }
      tables.accounts.set(id, { ...row, account })
      return account
    }),
  createKey: (key, note) => noted(note, () => writeKey(tables, key)),
  updateKey: ({ id, change, version }, note) =>
    noted(note, () => {
      const row = keyRowOf(tables, id)
      refuseOutdated(row.key, version)
      const { name = row.key.name } = change
      const key = { ...row.key, name, ...changedTerms(row.key, change), version: row.key.version + 1 }
      tables.keys.set(id, { ...row, key })
      return { key, hash: row.hash }
    }),
  revokeKey: (keyId, note) =>
    noted(note, () => {
      const row = keyRowOf(tables, keyId)
      const key = row.key.revoked ? row.key : { ...row.key, revoked: true, version: row.key.version + 1 }
      tables.keys.set(keyId, { ...row, key })
      return { key, hash: row.hash }
    }),
})

/** The reads of what keys have used, from the tables as they are when they are called. */
export const keyReads = (tables: Tables, read: <T>(what: string, value: T) => Promise<T>): KeyMainReads => ({
  keySpend(keyId, since) {
    const of = (first: number): Money => {
      const rows = [...tables.settlements.values()].filter((row) => row.keyId === keyId && dayOf(row.heldAtMs) >= first)
      return money(rows.reduce((sum, { charged }) => sum + charged, 0))
    }
    const spend = { total: of(0), day: of(since.day), week: of(since.week), month: of(since.month) }
    return read(`spend ${keyId}`, spend)
  },
  keyWindow(keyId, afterMs) {
    const parts = [...tables.windows.values()].filter((part) => part.keyId === keyId && part.lastAtMs > afterMs)
    return read(
      `window ${keyId}`,
      parts.sort((one, other) => one.firstAtMs - other.firstAtMs),
    )
  },
})

function writeAccount(tables: Tables, { id, name, kind, createdAtMs, ...change }: NewAccount): Account {
  refuseTakenName(tables, name)
  if (tables.accounts.has(id)) throw new GatewayError('conflict', `There is an account "${name}" already.`)
  const terms = changedAccountTerms(NO_TERMS, change)
  const account = { id, name, kind, disabled: false, ...terms, version: 1 }
  tables.accounts.set(id, { account, balance: money(0), createdAtMs })
  return account
}

function writeKey({ accounts, keys }: Tables, { hash, createdAtMs, ...fields }: NewKey): Key {
  if (!accounts.has(fields.accountId)) throw new GatewayError('not_found', `There is no account ${fields.accountId}.`)
  const isTaken = keys.has(fields.id) || [...keys.values()].some((row) => row.hash === hash)
  if (isTaken) throw new GatewayError('conflict', 'There is such a key already.')
  const key = { ...fields, revoked: false, version: 1 }
  keys.set(key.id, { key, hash, createdAtMs })
  return key
}

function keyRowOf({ keys }: Tables, keyId: string) {
  const row = keys.get(keyId)
  if (row === undefined) throw new GatewayError('not_found', `There is no key ${keyId}.`)
  return row
}

function refuseTakenName({ accounts }: Tables, name: string): void {
  if ([...accounts.values()].some(({ account }) => account.name === name))
    throw new GatewayError('conflict', `There is an account "${name}" already.`)
}

function refuseOutdated(row: { readonly version: number }, version: number | null): void {
  if (version !== null && version !== row.version)
    throw new GatewayError('precondition_failed', `It has changed since: its version is ${row.version} now.`)
}
