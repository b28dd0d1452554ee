import {
  type Account,
  type AccountKind,
  type AccountTerms,
  type Key,
  type KeyTerms,
  type Money,
  NO_LIMITS,
  NO_TERMS,
  ZERO,
} from '../../src/domain/index.ts'
import { assert } from '../../src/lib/index.ts'
import type { KeptAccount, MainReads, Store } from '../../src/store/index.ts'
import { keyReads } from './store-double-accounts.ts'
import { adminMainReads } from './store-double-admin.ts'
import { createReaderDouble } from './store-double-reader.ts'
import { storedMainReads } from './store-double-stored.ts'
import { emptyTables, type Tables } from './store-double-tables.ts'
import { createWriterDouble, type Disk } from './store-double-writer.ts'

/** A store in memory, with its tables in the open and its time in the test's hand. */
export interface StoreDouble extends Store {
  readonly tables: Tables
  readonly disk: Disk
  readonly readGate: ReadGate
  /** Puts an account on disk, with an entry for its balance. */
  seedAccount(seed: AccountSeed): Account
  /** Puts a key on disk; of its account it needs only the id. */
  seedKey(seed: KeySeed): Key
}

export interface AccountSeed extends Partial<AccountTerms> {
  readonly id: string
  readonly kind?: AccountKind
  readonly balance?: Money
  readonly disabled?: boolean
}

export interface KeySeed extends Partial<KeyTerms> {
  readonly id: string
  readonly accountId: string
  readonly hash: string
  readonly revoked?: boolean
}

/** Reads see the tables as they were when they began, and are delivered when the test says so. */
export interface ReadGate {
  /** From now on reads wait. */
  holdBack(): void
  /** What waits, in the order of its beginning: `key <hash>`, `account <id>`. */
  readonly waiting: readonly string[]
  /** Reads begun since the start. */
  readonly begun: number
  /** Delivers everything that waits now, a wave; reads begun after that wait again. Answers how many. */
  release(): number
  /** Delivers the one read at `index`; with an error, it fails instead. */
  releaseOne(index: number, error?: Error): void
  /** Delivers what waits, and every later read at once. */
  letGo(): void
}

/** Makes an empty store double; left alone it answers reads at once and commits at the end of each tick. */
export function createStoreDouble(): StoreDouble {
  const tables = emptyTables()
  const { writer, disk } = createWriterDouble(tables)
  const { reads, readGate } = createReads(tables)
  return {
    tables,
    disk,
    readGate,
    reads,
    writer,
    reader: createReaderDouble(tables),
    recovery: { epoch: 1, settled: 0, voided: 0 },
    async close() {
      disk.letGo()
      readGate.letGo()
    },
    seedAccount: (seed) => seedAccount(tables, seed),
    seedKey: (seed) => seedKey(tables, seed),
  }
}

function createReads(tables: Tables): { reads: MainReads; readGate: ReadGate } {
  const waiting: { readonly what: string; readonly deliver: (error?: Error) => void }[] = []
  let isHeldBack = false
  let begun = 0

  function read<T>(what: string, value: T): Promise<T> {
    begun += 1
    if (!isHeldBack) return Promise.resolve(value)
    return new Promise((resolve, reject) => {
      waiting.push({ what, deliver: (error) => (error === undefined ? resolve(value) : reject(error)) })
    })
  }

  function release(): number {
    const wave = waiting.splice(0)
    for (const { deliver } of wave) deliver()
    return wave.length
  }

  const reads: MainReads = {
    keyByHash: (hash) => read(`key ${hash}`, [...tables.keys.values()].find((row) => row.hash === hash)?.key ?? null),
    account: (accountId) => read(`account ${accountId}`, rowOf(tables, accountId)),
    ...keyReads(tables, read),
    ...adminMainReads(tables, read),
    ...storedMainReads(tables, read),
  }
  const readGate: ReadGate = {
    holdBack() {
      isHeldBack = true
    },
    get waiting() {
      return waiting.map(({ what }) => what)
    },
    get begun() {
      return begun
    },
    release,
    releaseOne(index, error) {
      const [one] = waiting.splice(index, 1)
      assert(one !== undefined, `no read waits at ${index}`)
      one.deliver(error)
    },
    letGo() {
      isHeldBack = false
      release()
    },
  }
  return { reads, readGate }
}

function rowOf({ accounts, ownCredentials }: Tables, accountId: string): KeptAccount | null {
  const row = accounts.get(accountId)
  if (row === undefined) return null
  const credentials = [...ownCredentials.values()].filter((credential) => credential.accountId === accountId)
  return { account: row.account, balance: row.balance, credentials }
}

function seedAccount(
  tables: Tables,
  { id, kind = 'prepaid', balance = ZERO, disabled = false, ...terms }: AccountSeed,
): Account {
  const account = { id, name: id, kind, disabled, ...NO_TERMS, ...terms, version: 1 }
  tables.accounts.set(id, { account, balance, createdAtMs: 0 })
  if (balance !== 0) {
    const seq = tables.entries.length + 1
    const entry = { kind: 'top_up', accountId: id, amount: balance, note: null, actor: 'seed', atMs: 0 } as const
    tables.entries.push({ ...entry, seq, balanceAfter: balance })
  }
  return account
}

function seedKey(tables: Tables, { id, accountId, hash, revoked = false, ...terms }: KeySeed): Key {
  const key = { id, accountId, name: id, prefix: 'sk-ar-v1-seed', ...NO_LIMITS, ...terms, revoked, version: 1 }
  tables.keys.set(id, { key, hash, createdAtMs: 0 })
  return key
}
