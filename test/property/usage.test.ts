import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { money } from '../../src/domain/index.ts'
import type { SettlementRow, SettlementView, UsageKey } from '../../src/store/index.ts'
import { usageModel } from '../support/usage-model.ts'
import { fundedAccount, OFFER, type StoreKit, settled, storeKit, topUp, voided } from '../unit/store/store-kit.ts'

const numRuns = Number(process.env.ANYROUTER_RUNS ?? 100)

const DAY_MS = 86_400_000
const KEYS: readonly UsageKey[] = ['account', 'key', 'model', 'backend', 'owner', 'day']
const amounts = fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 2 ** 45 }))
const units = fc.nat(10_000)

const rows = fc.record({
  account: fc.constantFrom('acc_1', 'acc_2'),
  served: fc.constantFrom('acme/small', 'acme/maker/large', 'b/small', null),
  own: fc.boolean(),
  endedAtMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
  charged: amounts,
  overrun: fc.oneof(fc.constant(0), amounts),
  expense: amounts,
  usage: fc.record({ input: units, cachedInput: units, cacheWrite: units, output: units, reasoning: units }),
  further: fc.oneof(fc.constant({}), fc.record({ inputImage: units, searches: units }, { requiredKeys: [] })),
})
type Row = typeof rows extends fc.Arbitrary<infer R> ? R : never
type Query = typeof queries extends fc.Arbitrary<infer Q> ? Q : never

/** Days begin at midnight, as most people ask; or anywhere. */
const time = fc.oneof(
  fc.nat(6 * DAY_MS),
  fc.nat(6).map((day) => day * DAY_MS),
)
const queryParts = {
  by: fc.shuffledSubarray([...KEYS]),
  accountId: fc.constantFrom(null, 'acc_1', 'acc_2', 'acc_none'),
  keyId: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constantFrom('key_1', 'key_2', 'key_none')),
}
const queries = fc.record({ ...queryParts, time: fc.tuple(time, time) })

/** Accounts have keys of their own. */
const settlementOf = (row: Row, requestId: string, startMs: number) => {
  const keyId = row.account.replace('acc', 'key')
  const whose = { accountId: row.account, keyId, endedAtMs: startMs + row.endedAtMs }
  if (row.served === null) return { ...voided(requestId), ...whose }
  const [backend = ''] = row.served.split('/')
  const { usage, charged, overrun, expense } = row
  return {
    ...settled(requestId),
    ...whose,
    usage: { ...usage, ...row.further },
    covered: { ...OFFER, offer: row.served, backend, ...(row.own ? { credential: 'cred_1' } : {}) },
    cost: money(charged + overrun),
    charged: money(charged),
    overrun: money(overrun),
    expense: money(expense),
  }
}

const names = {
  account: (id: string) => (id === 'acc_1' ? 'acme' : 'other'),
  key: (id: string) => (id === 'key_1' ? 'first' : 'second'),
}

async function kitOfTwo(): Promise<StoreKit> {
  const kit = await storeKit()
  await fundedAccount(kit.store)
  await kit.store.writer.createAccount({ id: 'acc_2', name: 'other', kind: 'unmetered', createdAtMs: 1 })
  const raw = kit.raw()
  raw.run(
    "INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) VALUES ('key_2', 'acc_2', 'second', 'h', 'p', 1)",
  )
  raw.close()
  return kit
}

async function expectSums({ store }: StoreKit, views: SettlementView[], startMs: number, asked: readonly Query[]) {
  for (const { by, time, accountId, keyId } of asked) {
    const [sinceMs, untilMs] = [startMs + Math.min(...time), startMs + Math.max(...time) + 1]
    const query = { by, sinceMs, untilMs, accountId, keyId }
    expect(await store.reader.usage(query)).toEqual(usageModel(views, query, names))
  }
}

const asked = fc.array(queries, { minLength: 1, maxLength: 5 })

test('sums of usage are those of its settlements, however they are grouped', async () => {
  const kit = await kitOfTwo()
  try {
    let run = 0
    const property = async (made: readonly Row[], wished: readonly Query[]): Promise<void> => {
      const startMs = ++run * 20 * DAY_MS // a time of its own for each run: one store serves them all
      const settlements = made.map((row, at) => settlementOf(row, `req_${run}_${at}`, startMs))
      await Promise.all([...topUps(settlements, kit), ...settlements.map((row) => kit.store.writer.settle(row))])
      const views: SettlementView[] = settlements.map((row, at) => ({ ...row, seq: at + 1 }))
      await expectSums(kit, views, startMs, wished)
    }
    await fc.assert(fc.asyncProperty(fc.array(rows, { maxLength: 60 }), asked, property), { numRuns })
  } finally {
    await kit.end()
  }
}, 600_000)

/** What the accounts are charged is given to them: over thousands of runs a balance would be more than the table takes. */
const topUps = (rows: readonly SettlementRow[], { store }: StoreKit): Promise<unknown>[] =>
  rows
    .filter(({ charged }) => charged > 0)
    .map(({ charged, accountId }) => store.writer.enter(topUp(charged, accountId)))

/** The store makes its records anew from the ledger. */
async function loseRecords(kit: StoreKit): Promise<void> {
  await kit.store.close()
  for (const file of ['records.db', 'records.db-wal', 'records.db-shm']) rmSync(join(kit.folder, file), { force: true })
}

/** All that a table of roll-ups says of a run's time. */
function folded(kit: StoreKit, table: string, startMs: number): object {
  const db = kit.raw('records.db')
  try {
    const day = startMs / DAY_MS
    const sql = `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(voided), 0) AS voided, coalesce(sum(units_output), 0) AS output,
      coalesce(sum(charged), 0) AS charged, coalesce(sum(overrun), 0) AS overrun, coalesce(sum(cost), 0) AS cost
      FROM ${table} WHERE day >= ? AND day < ?`
    return db.query(sql).get(day, day + 20) as object
  } finally {
    db.close()
  }
}

function foldOf(views: readonly SettlementView[]): object {
  const sum = (of: (view: SettlementView) => number): number => views.reduce((total, view) => total + of(view), 0)
  return {
    requests: views.length,
    voided: sum(({ end }) => (end === 'voided' ? 1 : 0)),
    output: sum(({ usage }) => usage.output),
    charged: sum(({ charged }) => charged),
    overrun: sum(({ overrun }) => overrun),
    cost: sum(({ cost }) => cost),
  }
}

/** What may happen to the records between two settlements. */
const events = fc.constantFrom('restart', 'failing commit', 'lost file')

test('roll-ups are a fold over the settlements, whatever becomes of the records meanwhile', async () => {
  const kit = await kitOfTwo()
  try {
    let run = 0
    const property = async (parts: readonly (readonly [Row[], string])[], wished: readonly Query[]): Promise<void> => {
      const startMs = ++run * 20 * DAY_MS
      const views: SettlementView[] = []
      for (const [at, [made, event]] of parts.entries()) {
        const settlements = made.map((row, place) => settlementOf(row, `req_${run}_${at}_${place}`, startMs))
        if (event === 'failing commit') await kit.faults.set({ failRecords: 1 })
        await Promise.all(settlements.map((row) => kit.store.writer.settle(row)))
        views.push(...settlements.map((row) => ({ ...row, seq: views.length + 1 })))
        if (event === 'lost file') await loseRecords(kit)
        if (event !== 'failing commit') await kit.reopen()
      }
      await kit.reopen() // closing brings the records up to date
      for (const table of ['usage_by_key', 'usage_by_offer', 'usage_by_payer'])
        expect(folded(kit, table, startMs)).toEqual(foldOf(views))
      expect(await kit.store.reader.usageFaults()).toEqual([])
      await expectSums(kit, views, startMs, wished)
    }
    const parts = fc.array(fc.tuple(fc.array(rows, { maxLength: 20 }), events), { minLength: 1, maxLength: 3 })
    await fc.assert(fc.asyncProperty(parts, asked, property), { numRuns: Math.ceil(numRuns / 20) }) // restarts take their time
  } finally {
    await kit.end()
  }
}, 600_000)

const FIRST_MONTH = Date.UTC(2023, 10, 1)
const MONTHS = 18 // with a leap year's February, and one that is not

/** The beginning of a month, so many months after the first. */
const monthMs = (at: number): number => Date.UTC(2023, 10 + at, 1)

/** Where months touch, a day or a moment beside it, or anywhere. */
const timeOfMonths = fc.oneof(
  fc
    .tuple(fc.integer({ min: -1, max: MONTHS + 1 }), fc.constantFrom(0, -1, 1, -DAY_MS, DAY_MS))
    .map(([month, beside]) => monthMs(month) + beside),
  fc.integer({ min: FIRST_MONTH - DAY_MS, max: monthMs(MONTHS) }),
)
const settledInMonths = fc.array(
  fc.tuple(rows, timeOfMonths).map(([row, endedAtMs]) => ({ ...row, endedAtMs: endedAtMs - FIRST_MONTH })),
  { minLength: 300, maxLength: 300 },
)

test('sums over months are those of their settlements, wherever the time begins and ends', async () => {
  const kit = await kitOfTwo()
  try {
    const [made = []] = fc.sample(settledInMonths, { numRuns: 1, seed: 7 })
    const settlements = made.map((row, at) => settlementOf(row, `req_${at}`, FIRST_MONTH))
    const views: SettlementView[] = settlements.map((row, at) => ({ ...row, seq: at + 1 }))
    await Promise.all(settlements.map((row) => kit.store.writer.settle(row)))
    await kit.reopen() // closing brings the records up to date
    const asked = fc.record({ ...queryParts, time: fc.tuple(timeOfMonths, timeOfMonths) })
    await fc.assert(
      fc.asyncProperty(asked, (query) => expectSums(kit, views, 0, [query])),
      { numRuns: 3 * numRuns },
    )
  } finally {
    await kit.end()
  }
}, 600_000)
