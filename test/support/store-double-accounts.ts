import {
  type Account,
  type BudgetDays,
  changedAccountTerms,
  changedTerms,
  dayOf,
  GatewayError,
  type Key,
  type Money,
  money,
  NO_TERMS,
} from '../../src/domain/index.ts'
import type {
  ChangeNote,
  KeyMainReads,
  KeyReads,
  KeySpend,
  ListedKey,
  NewAccount,
  NewKey,
  Writer,
} from '../../src/store/index.ts'
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

function spendOf(tables: Tables, keyId: string, since: BudgetDays): KeySpend {
  const of = (first: number): Money => {
    const rows = [...tables.settlements.values()].filter((row) => row.keyId === keyId && dayOf(row.heldAtMs) >= first)
    return money(rows.reduce((sum, { charged }) => sum + charged, 0))
  }
  return { total: of(0), day: of(since.day), week: of(since.week), month: of(since.month) }
}

/** The reads of keys as their owners list them. */
export function listedKeyReads(tables: Tables): Pick<KeyReads, 'listedKeys' | 'listedKey' | 'accountFigures'> {
  const listed = ({ key, hash, createdAtMs }: KeyOnDisk, since: BudgetDays): ListedKey => ({
    key,
    hash,
    createdAtMs,
    spend: spendOf(tables, key.id, since),
  })
  const isOf = (accountId: string | null) => (row: { readonly accountId: string }) =>
    accountId === null || row.accountId === accountId
  return {
    async listedKeys({ accountId, withDisabled, offset, since }) {
      const rows = [...tables.keys.values()].filter(
        ({ key }) => isOf(accountId)(key) && (withDisabled || !(key.revoked || key.disabled)),
      )
      const newest = rows.sort((one, other) => other.createdAtMs - one.createdAtMs)
      return newest.slice(offset, offset + 100).map((row) => listed(row, since))
    },
    async listedKey(hash, since) {
      const row = [...tables.keys.values()].find((one) => one.hash === hash)
      return row === undefined ? null : listed(row, since)
    },
    async accountFigures(accountId, day) {
      const sum = (amounts: number[]): bigint => amounts.reduce((total, amount) => total + BigInt(amount), 0n)
      const accounts = [...tables.accounts.values()].filter(({ account: { id } }) => isOf(accountId)({ accountId: id }))
      const today = [...tables.settlements.values()].filter(
        (row) => isOf(accountId)(row) && dayOf(row.heldAtMs) === day,
      )
      return {
        credited: sum(
          tables.entries.filter((row) => isOf(accountId)(row) && row.kind !== 'refund').map(({ amount }) => amount),
        ),
        promo: sum([...tables.lots.values()].filter(({ lot }) => isOf(accountId)(lot)).map(({ lot }) => lot.remaining)),
        balance: sum(accounts.map(({ balance }) => balance)),
        spentOnDay: sum(today.map(({ charged }) => charged)),
      }
    },
  }
}

type KeyOnDisk = Tables['keys'] extends ReadonlyMap<string, infer Row> ? Row : never

/** The reads of what keys have used, from the tables as they are when they are called. */
export const keyReads = (tables: Tables, read: <T>(what: string, value: T) => Promise<T>): KeyMainReads => ({
  keySpend: (keyId, since) => read(`spend ${keyId}`, spendOf(tables, keyId, since)),
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
