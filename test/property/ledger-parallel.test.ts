import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { money, NO_USAGE } from '../../src/domain/index.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { createStoreDouble } from '../support/store-double.ts'
import { SILENT } from './ledger-model.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const UNIT = 1_000_000

function openLedger(balance: number) {
  const double = createStoreDouble()
  const account = double.seedAccount({ id: 'acc_1', balance: money(balance) })
  const ledger = createLedger({
    reads: double.reads,
    writer: double.writer,
    clock: fakeClock(),
    log: SILENT,
    onEvict: () => {},
  })
  ledger.open({ account, balance: money(balance) })
  const hold = (at: number, amount: number) =>
    ledger.hold({ requestId: `req_${at}`, accountId: 'acc_1', keyId: 'key_1', amount: money(amount), covers: [] })
  return { ledger, double, hold }
}

test('of 1,000 requests at once on a balance for 10, exactly 10 are held, and all of them reach the disk', async () => {
  const { ledger, double, hold } = openLedger(10 * UNIT)
  const opened = await Promise.all(
    Array.from({ length: 1000 }, async (_, at) => {
      await Promise.resolve() // each in a turn of its own
      const open = hold(at, UNIT)
      await open?.durable
      return open
    }),
  )
  expect(opened.filter((open) => open !== null)).toHaveLength(10)
  expect(ledger.funds('acc_1').available).toBe(money(0))
  expect(double.tables.holds.size).toBe(10)
})

test('whatever is held at once, no more than the balance is, and no hold is refused that fits', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.array(fc.nat(2_000), { maxLength: 200 }), (balance, amounts) => {
      const { ledger, hold } = openLedger(balance)
      let left = balance
      for (const [at, amount] of amounts.entries()) {
        const fits = amount <= left
        expect(hold(at, amount) !== null).toBe(fits)
        if (fits) left -= amount
      }
      expect<number>(ledger.funds('acc_1').available).toBe(left)
    }),
    { numRuns: RUNS },
  )
})

test('no cost, however far above its hold, makes a balance negative', () => {
  const price = { input: 1_000_000, output: 0 }
  const covered = { offer: 'o', backend: 'b', price, cost: null, promptUnits: 0 }
  const request = fc.record({ amount: fc.nat(500), cost: fc.nat(2_000) })
  fc.assert(
    fc.property(fc.nat(1_000), fc.array(request, { maxLength: 30 }), (balance, requests) => {
      const { ledger, hold } = openLedger(balance)
      const open = requests
        .map(({ cost }, at) => ({ cost, at }))
        .filter(({ at }) => hold(at, requests[at]?.amount ?? 0) !== null)
      for (const { cost, at } of open) {
        const usage = { ...NO_USAGE, input: cost }
        const requestId = `req_${at}`
        const settled = ledger.settle({
          requestId,
          end: 'settled',
          reason: 'completed',
          usage,
          usageSource: 'reported',
          covered,
        })
        expect<number>(settled.charged + settled.overrun).toBe(settled.cost)
        expect(settled.balance).toBeGreaterThanOrEqual(0)
        expect(ledger.funds('acc_1').available).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: RUNS },
  )
})
