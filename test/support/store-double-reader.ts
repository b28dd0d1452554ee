import type { Key } from '../../src/domain/index.ts'
import type { Reader, SettlementView, StoredRecord, VerifyReport } from '../../src/store/index.ts'
import { listedKeyReads } from './store-double-accounts.ts'
import { adminReads } from './store-double-admin.ts'
import { backendReads } from './store-double-backends.ts'
import { creditReads } from './store-double-credits.ts'
import { learnedReads } from './store-double-learned.ts'
import { bySeq, compare, cut, newestFirst } from './store-double-pages.ts'
import { proofReads } from './store-double-proof.ts'
import { storedReads } from './store-double-stored.ts'
import type { Tables } from './store-double-tables.ts'
import { webhookReads } from './store-double-webhooks.ts'

/** Makes the reader of a store double: answers at once, from the tables as they are. */
export function createReaderDouble(tables: Tables): Reader {
  const stored = (requestId: string): StoredRecord | null => {
    const record = tables.records.get(requestId)
    if (record === undefined) return null
    const settlement = tables.settlements.get(requestId)
    return { ...record, settlement: settlement === undefined ? null : { ...settlement, owner: ownerOf(settlement) } }
  }
  return {
    async accounts(page) {
      const byName = [...tables.accounts.values()].sort((one, other) => compare(one.account.name, other.account.name))
      return cut(byName, page, ({ account }) => account.id)
    },
    accountNamed: async (name) => [...tables.accounts.values()].find(({ account }) => account.name === name) ?? null,
    async keys(accountId, page) {
      const keys = [...tables.keys.values()].map(({ key }) => key)
      const ofAccount = keys.filter((key) => accountId === null || key.accountId === accountId)
      return cut(
        ofAccount.sort((one, other) => compare(placeOf(one), placeOf(other))),
        page,
        ({ id }) => id,
      )
    },
    key: async (keyId) => tables.keys.get(keyId)?.key ?? null,
    ...listedKeyReads(tables),
    async settlements(accountId, page) {
      const all = [...tables.settlements.values()]
      return cut(newestFirst(all.filter((row) => accountId === null || row.accountId === accountId)), page, bySeq)
    },
    async holds(accountId) {
      const all = [...tables.holds.values()].map(({ hold }) => hold)
      return all.filter((hold) => accountId === null || hold.accountId === accountId)
    },
    async records(page) {
      const newest = [...tables.records.keys()].sort((one, other) => compare(other, one))
      return cut(newest, page, (id) => id).flatMap((id) => stored(id) ?? [])
    },
    record: async (requestId) => stored(requestId),
    usageFaults: async () => [],
    content: async (requestId) => tables.contents.get(requestId) ?? null,
    contents: async ({ limit, after }) =>
      [...tables.contents.values()]
        .filter(({ requestId }) => after === null || requestId > after)
        .sort((one, other) => (one.requestId < other.requestId ? -1 : 1))
        .slice(0, limit),
    ...creditReads(tables),
    ...webhookReads(tables),
    ...adminReads(tables),
    ...backendReads(tables),
    ...learnedReads(tables),
    ...storedReads(tables),
    ...proofReads(tables),
    verify: async () => verify(tables),
    integrity: async () => [],
  }
}

const ownerOf = ({ covered }: SettlementView): 'operator' | 'account' | null =>
  covered === null ? null : covered.credential === undefined ? 'operator' : 'account'

const placeOf = ({ accountId, name, id }: Key): string => [accountId, name, id].join('\n')

function verify(tables: Tables): VerifyReport {
  const { accounts, entries, settlements, holds } = tables
  const sums = new Map<string, bigint>()
  const post = (accountId: string, amount: number): void => {
    sums.set(accountId, (sums.get(accountId) ?? 0n) + BigInt(amount))
  }
  for (const { accountId, amount } of entries) post(accountId, amount)
  for (const { accountId, charged } of settlements.values()) post(accountId, -charged)
  const faults: string[] = []
  for (const [id, { balance }] of accounts) {
    const sum = sums.get(id) ?? 0n
    if (sum !== BigInt(balance)) faults.push(`account ${id}: balance ${balance}, its postings sum to ${sum}`)
  }
  for (const id of holds.keys()) if (settlements.has(id)) faults.push(`hold ${id}: settled and still open`)
  return {
    clean: faults.length === 0,
    faults,
    accounts: accounts.size,
    entries: entries.length,
    settlements: settlements.size,
    openHolds: holds.size,
    balanceSum: String([...accounts.values()].reduce((sum, { balance }) => sum + BigInt(balance), 0n)),
  }
}
