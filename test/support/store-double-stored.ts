import type { StoredThing } from '../../src/domain/index.ts'
import type { StoredMainReads, StoredReads, StoredWrites } from '../../src/store/index.ts'
import { compare } from './store-double-pages.ts'
import type { Tables } from './store-double-tables.ts'

const placeOf = (accountId: string, id: string): string => `${accountId} ${id}`

/** What providers keep for accounts, in the tables of a store double. */
export const storedMainReads = (
  { stored }: Tables,
  read: <T>(what: string, value: T) => Promise<T>,
): StoredMainReads => ({
  storedThing: (accountId, id) => read(`stored ${id}`, stored.get(placeOf(accountId, id)) ?? null),
})

/** The writes; `run` brings a change to the double's disk. */
export const storedWrites = ({ stored }: Tables, run: <T>(change: () => T) => Promise<T>): StoredWrites => ({
  keepStored: (things) =>
    run(() => {
      for (const thing of things) stored.set(placeOf(thing.accountId, thing.id), thing)
      return things.length
    }),
  forgetStored: (accountId, ids) => run(() => ids.filter((id) => stored.delete(placeOf(accountId, id))).length),
  pruneStored: (beforeMs) =>
    run(() => {
      const over = [...stored].filter(([, { untilMs }]) => untilMs !== null && untilMs < beforeMs)
      return over.filter(([place]) => stored.delete(place)).length
    }),
})

/** The reads in pages. */
export const storedReads = ({ stored }: Tables): StoredReads => ({
  async storedThings({ accountId, kind, isNewestFirst, limit, after }) {
    const byAge = (one: StoredThing, other: StoredThing): number =>
      one.createdAtMs - other.createdAtMs || compare(one.id, other.id)
    const all = [...stored.values()].filter((thing) => thing.accountId === accountId && thing.kind === kind).sort(byAge)
    if (isNewestFirst) all.reverse()
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    return all.slice(from, from + limit)
  },
})
