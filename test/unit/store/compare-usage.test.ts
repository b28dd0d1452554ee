import { afterEach, beforeEach, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { fundedAccount, type StoreKit, settled, storeKit, voided } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const DAY_MS = 86_400_000

/** Changes the records while the store is closed. */
async function tampered(sql: string): Promise<readonly string[]> {
  await kit.store.close()
  const db = kit.raw('records.db')
  db.run(sql)
  db.close()
  await kit.reopen()
  return kit.store.reader.usageFaults()
}

test('sums that are those of the settlements are not told, however large they are', async () => {
  const { writer } = kit.store
  await writer.settle(settled('req_1'))
  await writer.settle({ ...voided('req_2'), endedAtMs: 3 * DAY_MS })
  const most = money(Number.MAX_SAFE_INTEGER)
  const dear = { ...settled('req'), cost: most, charged: money(0), overrun: most, endedAtMs: 5 * DAY_MS }
  await Promise.all(Array.from({ length: 1100 }, (_, at) => writer.settle({ ...dear, requestId: `req_dear_${at}` })))
  await kit.reopen() // closing brings the records up to date
  expect(await kit.store.reader.usageFaults()).toEqual([])
})

test('of a month, days are added up: the first is that of its row', async () => {
  const [november, lastOfOctober] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 1) - 1]
  await kit.store.writer.settle({ ...settled('req_1', 20), endedAtMs: november })
  await kit.store.writer.settle({ ...settled('req_2', 3), endedAtMs: november + 29 * DAY_MS })
  await kit.store.writer.settle({ ...settled('req_3', 500), endedAtMs: lastOfOctober })
  expect(await tampered('UPDATE usage_by_month SET charged = charged + 1')).toEqual([
    `usage_by_month, day ${Date.UTC(2026, 9, 1) / DAY_MS}: charged 501, its settlements sum to 500`,
    `usage_by_month, day ${november / DAY_MS}: charged 24, its settlements sum to 23`,
  ])
})

test('what is otherwise is told: the table, the day, the sum', async () => {
  await kit.store.writer.settle(settled('req_1', 300))
  expect(await tampered('UPDATE usage_by_offer SET charged = charged + 1')).toEqual([
    'usage_by_offer, day 0: charged 301, its settlements sum to 300',
  ])
  expect(await tampered('DELETE FROM usage_by_payer')).toContain(
    'usage_by_payer, day 0: requests 0, its settlements sum to 1',
  )
  expect(await tampered('UPDATE usage_by_month SET expense = 0')).toContain(
    'usage_by_month, day 0: expense 0, its settlements sum to 150',
  )
  await kit.store.writer.settle(settled('req_2', 1))
  expect((await kit.store.reader.verify()).clean).toBe(true)
})
