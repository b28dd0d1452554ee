import {
  type Account,
  type AccountTermsChange,
  changedTerms,
  type Key,
  type KeyTermsChange,
  NO_LIMITS,
  type OwnSecret,
} from '../domain/index.ts'
import { type Clock, type ExpiryClock, type Random, type SharedRead, sharedRead, timeOrderedId } from '../lib/index.ts'
import {
  type AccountRow,
  type AccountUpdate,
  type By,
  changeNote,
  type KeptAccount,
  type KeyUpdate,
  type MainReads,
  type NewAccount,
  type NewKey,
  SYSTEM,
  type Writer,
} from '../store/index.ts'
import { hashKey, keyPrefix, newKeySecret, type Vault } from '../vault/index.ts'
import { type AllowsAddress, createAddressLists } from './address-lists.ts'
import { createLimits, type Limits } from './limits.ts'
import { createManagementKeys, type ManagementKeys } from './management-keys.ts'
import { ownSecrets } from './own-secrets.ts'
import { accountTermsDetails, termsDetails } from './terms-details.ts'

/** Accounts and keys: shared reads of their rows, and the writes that make them outdated. `by` is who asks for the change, for the audit. */
export interface Accounts extends ManagementKeys {
  /** By the hash of a secret; null for an unknown one. */
  readonly keys: SharedRead<Key | null>
  /** By account id; null when there is none. The balance in a row is as old as its read: only `onRead` may use it. */
  readonly rows: SharedRead<LoadedAccount | null>
  readonly limits: Limits
  readonly allowsAddress: AllowsAddress
  createAccount(wish: AccountWish, by?: By): Promise<Account>
  /** The secret is in the answer and nowhere else. */
  createKey(wish: KeyWish, by?: By): Promise<{ readonly key: Key; readonly secret: string }>
  /** The change binds the next request. Rejects as `Writer.updateKey`. */
  updateKey(wish: KeyUpdate, by?: By): Promise<Key>
  /** The change binds the next request. Rejects as `Writer.updateAccount`. */
  updateAccount(wish: AccountUpdate, by?: By): Promise<Account>
  revokeKey(keyId: string, by?: By): Promise<Key>
}

/** An account as it stands on disk, and the own credentials that its requests may be sent with, opened once for as long as it is kept. */
export interface LoadedAccount extends AccountRow {
  readonly own: readonly OwnSecret[]
}

export interface AccountWish extends AccountTermsChange {
  readonly name: string
  readonly kind: NewAccount['kind']
}

export interface KeyWish extends KeyTermsChange {
  readonly accountId: string
  readonly name: string
  /** From `newKeySecret`, or the demo's fixed one; made here when it is absent. */
  readonly secret?: string
}

export interface AccountsOptions {
  readonly reads: MainReads
  readonly writer: Writer
  readonly vault: Pick<Vault, 'open'>
  readonly clock: Clock
  readonly expiries: ExpiryClock
  readonly random: Random
  /** In the tick in which an account's row comes into memory: no balance is younger than the one in it. */
  readonly onRead: (row: AccountRow) => void
  readonly keysKeptMax?: number
  readonly accountsKeptMax?: number
}

const KEYS_KEPT_MAX = 200_000
const ACCOUNTS_KEPT_MAX = 100_000

/** Makes the room of accounts over a store. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { reads, writer, vault, clock, expiries, random, onRead } = options
  const { keysKeptMax = KEYS_KEPT_MAX, accountsKeptMax = ACCOUNTS_KEPT_MAX } = options
  const keys = sharedRead<Key | null>({ read: (hash) => reads.keyByHash(hash), clock, sizeMax: keysKeptMax })
  const rows = sharedRead<LoadedAccount | null>({
    read: async (id) => loaded(vault, await reads.account(id)),
    clock,
    sizeMax: accountsKeptMax,
    onKeep: (row) => {
      if (row !== null) onRead(row)
    },
  })

  return {
    ...createManagementKeys({ reads, writer, clock, expiries, random }),
    keys,
    rows,
    limits: createLimits({ reads, writer, clock }),
    allowsAddress: createAddressLists(),
    async createAccount({ name, kind, ...wished }, by = SYSTEM) {
      const atMs = clock.wallMs()
      const id = `acc_${timeOrderedId(atMs, random)}`
      const details = { name, kind, ...accountTermsDetails(wished) }
      const note = changeNote(by, { atMs, action: 'account.create', subject: id, details })
      const account = await writer.createAccount({ id, name, kind, ...wished, createdAtMs: atMs }, note)
      rows.drop(id)
      return account
    },
    async createKey({ secret = newKeySecret(random), ...wished }, by = SYSTEM) {
      const atMs = clock.wallMs()
      const fields = keyFields(`key_${timeOrderedId(atMs, random)}`, secret, wished, atMs)
      const { accountId: account, name, ...terms } = wished
      const details = { account, name, ...termsDetails(terms) }
      const note = changeNote(by, { atMs, action: 'key.create', subject: fields.id, details })
      const key = await writer.createKey(fields, note)
      keys.drop(fields.hash)
      return { key, secret }
    },
    async updateKey(wish, by = SYSTEM) {
      const { name } = wish.change
      const details = { ...(name === undefined ? {} : { name }), ...termsDetails(wish.change) }
      const note = changeNote(by, { atMs: clock.wallMs(), action: 'key.update', subject: wish.id, details })
      const { key, hash } = await writer.updateKey(wish, note)
      keys.drop(hash)
      return key
    },
    async updateAccount(wish, by = SYSTEM) {
      const { name, disabled } = wish.change
      const said = { ...(name === undefined ? {} : { name }), ...(disabled === undefined ? {} : { disabled }) }
      const details = { ...said, ...accountTermsDetails(wish.change) }
      const note = changeNote(by, { atMs: clock.wallMs(), action: 'account.update', subject: wish.id, details })
      const account = await writer.updateAccount(wish, note)
      rows.drop(wish.id)
      return account
    },
    async revokeKey(keyId, by = SYSTEM) {
      const note = changeNote(by, { atMs: clock.wallMs(), action: 'key.revoke', subject: keyId })
      const { key, hash } = await writer.revokeKey(keyId, note)
      keys.drop(hash)
      return key
    },
  }
}

/** What is stored of a key: its secret's hash alone. */
const keyFields = (
  id: string,
  secret: string,
  { accountId, name, ...wished }: Omit<KeyWish, 'secret'>,
  createdAtMs: number,
): NewKey => ({
  id,
  accountId,
  name,
  hash: hashKey(secret),
  prefix: keyPrefix(secret),
  ...changedTerms(NO_LIMITS, wished),
  createdAtMs,
})

const loaded = (vault: Pick<Vault, 'open'>, kept: KeptAccount | null): LoadedAccount | null =>
  kept === null ? null : { account: kept.account, balance: kept.balance, own: ownSecrets(vault, kept.credentials) }
