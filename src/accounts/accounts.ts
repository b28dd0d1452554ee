import type { Account, Key } from '../domain/index.ts'
import { type Clock, type Random, type SharedRead, sharedRead, timeOrderedId } from '../lib/index.ts'
import type { AccountRow, MainReads, NewAccount, NewKey, Writer } from '../store/index.ts'
import { hashKey, keyPrefix, newKeySecret } from '../vault/index.ts'

/** Accounts and keys: shared reads of their rows, and the writes that make them outdated. */
export interface Accounts {
  /** By the hash of a secret; null for an unknown one. */
  readonly keys: SharedRead<Key | null>
  /** By account id; null when there is none. The balance in a row is as old as its read: only `ledger.open` may use it. */
  readonly rows: SharedRead<AccountRow | null>
  createAccount(wish: { readonly name: string; readonly kind: NewAccount['kind'] }): Promise<Account>
  /** The secret is in the answer and nowhere else. */
  createKey(wish: KeyWish): Promise<{ readonly key: Key; readonly secret: string }>
  revokeKey(keyId: string): Promise<Key>
}

export interface KeyWish {
  readonly accountId: string
  readonly name: string
  readonly models: readonly string[] | null
  /** For the demo's fixed key only; a new secret is made otherwise. */
  readonly secret?: string
}

export interface AccountsOptions {
  readonly reads: MainReads
  readonly writer: Writer
  readonly clock: Clock
  readonly random: Random
}

const KEYS_KEPT_MAX = 200_000
const ACCOUNTS_KEPT_MAX = 100_000

/** Makes the room of accounts over a store. */
export function createAccounts({ reads, writer, clock, random }: AccountsOptions): Accounts {
  const keys = sharedRead<Key | null>({ read: (hash) => reads.keyByHash(hash), clock, sizeMax: KEYS_KEPT_MAX })
  const rows = sharedRead<AccountRow | null>({ read: (id) => reads.account(id), clock, sizeMax: ACCOUNTS_KEPT_MAX })

  return {
    keys,
    rows,
    async createAccount({ name, kind }) {
      const id = `acc_${timeOrderedId(clock.wallMs(), random)}`
      const account = await writer.createAccount({ id, name, kind, createdAtMs: clock.wallMs() })
      rows.drop(id)
      return account
    },
    async createKey({ accountId, name, models, secret = newKeySecret(random) }) {
      const hash = hashKey(secret)
      const fields: NewKey = {
        id: `key_${timeOrderedId(clock.wallMs(), random)}`,
        accountId,
        name,
        hash,
        prefix: keyPrefix(secret),
        models,
        createdAtMs: clock.wallMs(),
      }
      const key = await writer.createKey(fields)
      keys.drop(hash)
      return { key, secret }
    },
    async revokeKey(keyId) {
      const { key, hash } = await writer.revokeKey(keyId)
      keys.drop(hash)
      return key
    },
  }
}
