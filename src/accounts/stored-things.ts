import type { StoredThing } from '../domain/index.ts'
import { forgetOldest } from '../lib/index.ts'
import type { MainReads, Reader, StoredQuery, Writer } from '../store/index.ts'

/** What providers keep for accounts, and where. An account finds its own things alone: each is known by account and id. */
export interface StoredThings {
  /** Null when the account has nothing of this id. */
  find(accountId: string, id: string): Promise<StoredThing | null>
  /** Known at once; resolves when it is on disk. Rejects with `storage_unavailable`: then it is known until the next start, or until others are. */
  keep(things: readonly StoredThing[]): Promise<void>
  /** The same for what is there no more. */
  forget(accountId: string, ids: readonly string[]): Promise<void>
  /** In pages. */
  list(query: StoredQuery): Promise<readonly StoredThing[]>
}

export interface StoredThingsOptions {
  readonly reads: Pick<MainReads, 'storedThing'>
  readonly reader: Pick<Reader, 'storedThings'>
  readonly writer: Pick<Writer, 'keepStored' | 'forgetStored'>
  readonly sizeMax?: number
}

const SIZE_MAX = 20_000

/** Makes the part of the accounts' room that knows what providers keep: those used last in memory, all on disk. */
export function createStoredThings({ reads, reader, writer, sizeMax = SIZE_MAX }: StoredThingsOptions): StoredThings {
  const known = new Map<string, StoredThing>()
  /** The disk has them still. */
  const forgotten = new Set<string>()
  const nameOf = (accountId: string, id: string): string => `${accountId} ${id}`
  const remember = (thing: StoredThing): void => {
    const name = nameOf(thing.accountId, thing.id)
    known.delete(name) // the one used last comes last
    known.set(name, thing)
    forgetOldest(known, sizeMax)
  }
  return {
    async find(accountId, id) {
      const name = nameOf(accountId, id)
      const thing = known.get(name) ?? (await reads.storedThing(accountId, id))
      if (thing === null || forgotten.has(name)) return null
      remember(thing)
      return thing
    },
    async keep(things) {
      for (const thing of things) remember(thing)
      await writer.keepStored(things)
    },
    async forget(accountId, ids) {
      const names = ids.map((id) => nameOf(accountId, id))
      for (const name of names) {
        known.delete(name)
        forgotten.add(name)
      }
      try {
        await writer.forgetStored(accountId, ids)
      } finally {
        for (const name of names) forgotten.delete(name)
      }
    },
    list: (query) => reader.storedThings(query),
  }
}
