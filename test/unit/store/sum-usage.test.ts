import { afterEach, beforeEach, expect, test } from 'bun:test'
import { money, NO_USAGE } from '../../../src/domain/index.ts'
import type { UsageAnswer, UsageKey } from '../../../src/store/index.ts'
import { fundedAccount, recordOf, type StoreKit, settled, storeKit } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const DAY_MS = 86_400_000

const settle = (requestId: string, day: string, more: object = {}) =>
  kit.store.writer.settle({ ...settled(requestId, 1), ...more, endedAtMs: Date.parse(day) })

const requestsOf = (answer: UsageAnswer) => (answer.kind === 'rows' ? answer.rows.map(({ requests }) => requests) : [])

/** How many requests were sent, of the time from one day to another. */
const ask = async (by: readonly UsageKey[], since: string, until: string) =>
  requestsOf(
    await kit.store.reader.usage({
      ...{ by, accountId: null, keyId: null },
      ...{ sinceMs: Date.parse(since), untilMs: Date.parse(until) },
    }),
  )

/** Takes days out of the table of days while the store is closed: what it does not have is not read there. */
async function withoutDays(since: string, until: string): Promise<void> {
  await kit.store.close()
  const db = kit.raw('records.db')
  const days = [since, until].map((day) => Date.parse(day) / DAY_MS)
  db.prepare('DELETE FROM usage_by_key WHERE day >= ? AND day < ?').run(...days)
  db.close()
  await kit.reopen()
}

const DAYS = ['2023-12-20', '2024-01-31', '2024-02-01', '2024-02-29', '2024-03-01', '2024-03-20']

test('whole months are told by their own rows, days before and after them by those of days', async () => {
  for (const [at, day] of DAYS.entries()) await settle(`req_${at}`, day)
  await kit.reopen() // closing brings the records up to date
  const by = ['key', 'model'] as const
  expect(await ask(by, '2024-01-31', '2024-03-02')).toEqual([4n])
  await withoutDays('2024-02-01', '2024-03-01')
  expect(await ask(by, '2024-01-31', '2024-03-02')).toEqual([4n])
  expect(await ask(by, '2024-02-01', '2024-03-01')).toEqual([2n])
  expect(await ask(by, '2024-02-02', '2024-03-02')).toEqual([1n]) // February is cut: its days are missing
  expect(await ask([...by, 'day'], '2024-01-31', '2024-03-02')).toEqual([1n, 1n])
})

test('months that the first and the last settlement of all lie in are whole, too', async () => {
  for (const [at, day] of DAYS.entries()) await settle(`req_${at}`, day)
  await kit.reopen()
  await withoutDays('2023-12-01', '2024-04-01')
  const by = ['key', 'model'] as const
  expect(await ask(by, '2023-12-20', '2024-03-21')).toEqual([6n])
  expect(await ask(by, '1990-01-01', '2999-01-01')).toEqual([6n])
  expect(await ask(by, '2023-12-21', '2024-03-20')).toEqual([3n]) // January and February
})

test.each([
  ['within a month', '2024-02-01'],
  ['of two months', '2024-03-01'],
])('sums of days that together are beyond SQLite’s integers are exact: %s', async (_name, second) => {
  const most = money(Number.MAX_SAFE_INTEGER)
  const dear = { cost: most, charged: money(0), overrun: most }
  await Promise.all(
    Array.from({ length: 1200 }, (_, at) => settle(`req_${at}`, at % 2 === 0 ? '2024-02-29' : second, dear)),
  )
  await kit.reopen()
  const asked = { sinceMs: 0, untilMs: Date.parse('2025-01-01'), accountId: null, keyId: null }
  for (const by of [[], ['key', 'model']] as const)
    expect(await kit.store.reader.usage({ ...asked, by })).toMatchObject({
      rows: [{ requests: 1200n, cost: 1200n * BigInt(most) }],
    })
})

test('what attempts that did not serve may have cost is told beside sums that are too large to be kept ready', async () => {
  const most = money(Number.MAX_SAFE_INTEGER)
  await Promise.all(
    Array.from({ length: 1100 }, (_, at) =>
      settle(`req_${at}`, '2024-02-29', { cost: most, charged: money(0), overrun: most }),
    ),
  )
  const record = recordOf('req_1')
  const attempts = record.attempts.map((attempt) => ({ ...attempt, absorbed: true, possibleCost: money(77) }))
  kit.store.writer.record({ ...record, attempts, startedAtMs: Date.parse('2024-02-29') })
  await kit.reopen()
  const query = { by: [], sinceMs: 0, untilMs: Date.parse('2025-01-01'), accountId: null, keyId: null }
  expect(await kit.store.reader.usage({ ...query, withAbsorbed: true })).toMatchObject({
    rows: [{ cost: 1100n * BigInt(most), absorbed: 77n }],
  })
})

test('what they may have cost is added up page by page, each attempt once, of those that ended within the time', async () => {
  const [of, end] = [Date.parse('2024-02-28T23:59:59.500Z'), Date.parse('2024-03-01')]
  const id = (at: number, startedAtMs: number) => `req_${startedAtMs.toString(16).padStart(12, '0')}${at}`
  await settle(id(0, of), '2024-02-29')
  const started = [of - 5 * DAY_MS, ...Array.from({ length: 1100 }, () => of), end]
  for (const [at, startedAtMs] of started.entries()) {
    const record = recordOf(id(at, startedAtMs))
    const [attempt] = record.attempts
    const lost = { ...attempt, absorbed: true, possibleCost: money(1), endedUs: 900_000 }
    const attempts = [1, 2].map((number) => ({ ...lost, number }))
    kit.store.writer.record({ ...record, attempts, startedAtMs } as typeof record)
  }
  await kit.reopen()
  const query = { by: [], accountId: null, keyId: null, withAbsorbed: true, untilMs: end }
  const told = async (sinceMs: number) => await kit.store.reader.usage({ ...query, sinceMs })
  expect(await told(Date.parse('2024-02-29'))).toMatchObject({ rows: [{ absorbed: 2200n }] })
  expect(await told(0)).toMatchObject({ rows: [{ absorbed: 2202n }] })
})

test('units that few requests have are followed once, however often the records are brought up to date', async () => {
  const by = ['key', 'model'] as const
  const asked = { by, accountId: null, keyId: null, sinceMs: 0, untilMs: Date.parse('2025-01-01') }
  const usage = { ...NO_USAGE, input: 1 }
  for (const [at, searches] of [1, 10, 100].entries()) {
    await settle(`req_${at}_more`, '2024-02-29', { usage: { ...usage, searches } })
    await settle(`req_${at}`, '2024-02-29', { usage })
    await settle(`req_${at}_image`, '2024-02-29', { usage: { ...usage, images: 2 } })
    await kit.reopen()
  }
  const answer = await kit.store.reader.usage(asked)
  expect(answer).toMatchObject({ rows: [{ requests: 9n, units: { input: 9n, searches: 111n, images: 6n } }] })
})

test('a day that is cut by the time is not told by its row, be it by the newest settlement alone', async () => {
  await settle('req_1', '2024-02-29T10:00:00Z')
  await settle('req_2', '2024-02-29T20:00:00Z')
  await kit.reopen()
  expect(await ask(['key'], '2024-02-29', '2024-02-29T12:00:00Z')).toEqual([1n])
  expect(await ask(['key'], '2024-02-29T12:00:00Z', '2024-03-01')).toEqual([1n])
  expect(await ask(['key'], '2024-02-29T10:00:00Z', '2024-02-29T20:00:00.001Z')).toEqual([2n])
})

test('days within one month are told by themselves', async () => {
  for (const day of ['10', '15', '20']) await settle(`req_${day}`, `2024-02-${day}`)
  await kit.reopen()
  expect(await ask(['key', 'model'], '2024-02-12', '2024-02-18')).toEqual([1n])
  expect(await ask(['key', 'model'], '2024-02-12', '2024-02-21')).toEqual([2n])
})
