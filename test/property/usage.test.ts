import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { money } from '../../src/domain/index.ts'
import type { SettlementView, UsageKey } from '../../src/store/index.ts'
import { usageModel } from '../support/usage-model.ts'
import { fundedAccount, OFFER, settled, storeKit, voided } from '../unit/store/store-kit.ts'

const numRuns = Number(process.env.ANYROUTER_RUNS ?? 100)

const DAY_MS = 86_400_000
const KEYS: readonly UsageKey[] = ['account', 'key', 'model', 'backend', 'day']
const amounts = fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 2 ** 45 }))
const units = fc.nat(10_000)

const rows = fc.record({
  account: fc.constantFrom('acc_1', 'acc_2'),
  served: fc.constantFrom('acme/small', 'acme/maker/large', 'b/small', null),
  endedAtMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
  charged: amounts,
  overrun: fc.oneof(fc.constant(0), amounts),
  expense: amounts,
  usage: fc.record({ input: units, cachedInput: units, cacheWrite: units, output: units, reasoning: units }),
})
type Row = typeof rows extends fc.Arbitrary<infer R> ? R : never
type Query = typeof queries extends fc.Arbitrary<infer Q> ? Q : never

const queries = fc.record({
  by: fc.shuffledSubarray([...KEYS]),
  time: fc.tuple(fc.nat(6 * DAY_MS), fc.nat(6 * DAY_MS)),
  accountId: fc.constantFrom(null, 'acc_1', 'acc_2', 'acc_none'),
})

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
    usage,
    covered: { ...OFFER, offer: row.served, backend },
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

test('sums of usage are those of its settlements, however they are grouped', async () => {
  const kit = await storeKit()
  try {
    const { writer, reader } = kit.store
    await fundedAccount(kit.store)
    await writer.createAccount({ id: 'acc_2', name: 'other', kind: 'unmetered', createdAtMs: 1 })
    const raw = kit.raw()
    raw.run(
      "INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) VALUES ('key_2', 'acc_2', 'second', 'h', 'p', 1)",
    )
    raw.close()
    let run = 0
    const property = async (made: readonly Row[], asked: readonly Query[]): Promise<void> => {
      const startMs = ++run * 20 * DAY_MS // a time of its own for each run: one store serves them all
      const settlements = made.map((row, at) => settlementOf(row, `req_${run}_${at}`, startMs))
      await Promise.all(settlements.map((row) => writer.settle(row)))
      const views: SettlementView[] = settlements.map((row, at) => ({ ...row, seq: at + 1 }))
      for (const { by, time, accountId } of asked) {
        const [sinceMs, untilMs] = [startMs + Math.min(...time), startMs + Math.max(...time) + 1]
        const query = { by, sinceMs, untilMs, accountId }
        expect(await reader.usage(query)).toEqual(usageModel(views, query, names))
      }
    }
    const asked = fc.array(queries, { minLength: 1, maxLength: 5 })
    await fc.assert(fc.asyncProperty(fc.array(rows, { maxLength: 60 }), asked, property), { numRuns })
  } finally {
    await kit.end()
  }
}, 600_000)
