import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { money, NO_LIMITS } from '../../src/domain/index.ts'
import type { Entry, Reader, Writer } from '../../src/store/index.ts'
import { createStoreDouble, type StoreDouble } from '../support/store-double.ts'
import { codeOf, type StoreKit, settled, storeKit } from '../unit/store/store-kit.ts'

// Grants, charges, refunds, adjustments and ends in any order, on the ledger file and on a few maps: lots, balances and refusals are the same.

type Step =
  | { readonly do: 'grant'; readonly amount: number; readonly endsAtMs: number }
  | { readonly do: 'topUp' | 'adjust'; readonly amount: number }
  | { readonly do: 'spend'; readonly amount: number; readonly heldAtMs: number }
  | { readonly do: 'refund'; readonly nth: number; readonly amount: number }
  | { readonly do: 'end'; readonly nth: number; readonly amountMax: number }

const is = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names)
const amount = fc.integer({ min: 1, max: 60 })
const time = fc.nat(20)
const nth = fc.nat(20)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: is('grant'), amount, endsAtMs: time }) },
    { weight: 2, arbitrary: fc.record({ do: is('topUp', 'adjust'), amount }) },
    { weight: 4, arbitrary: fc.record({ do: is('spend'), amount, heldAtMs: time }) },
    { weight: 4, arbitrary: fc.record({ do: is('refund'), nth, amount }) },
    { weight: 2, arbitrary: fc.record({ do: is('end'), nth, amountMax: amount }) },
  ),
  { maxLength: 25 },
)

let kit: StoreKit
let run = 0
beforeAll(async () => {
  kit = await storeKit()
  await kit.store.writer.createAccount({ id: 'acc_0', name: 'acc_0', kind: 'prepaid', createdAtMs: 1 })
  const fields = { accountId: 'acc_0', name: 'k', hash: 'h', prefix: 'p', ...NO_LIMITS, createdAtMs: 1 }
  await kit.store.writer.createKey({ id: 'key_1', ...fields })
})
afterAll(() => kit.end())

/** One of the two, with what it called its lots and its requests in this run. */
interface Side {
  readonly writer: Writer
  readonly reader: Reader
  readonly lots: number[]
}

const PAGE = { limit: 200, after: null }

test('the ledger file and its double agree on every lot', async () => {
  const property = fc.asyncProperty(steps, async (list) => {
    const accountId = `acc_${++run}`
    const double = createStoreDouble()
    double.seedAccount({ id: accountId })
    await kit.store.writer.createAccount({ id: accountId, name: accountId, kind: 'prepaid', createdAtMs: 1 })
    const sides: Side[] = [
      { ...kit.store, lots: [] },
      { ...double, lots: [] },
    ]
    const requests: string[] = []
    for (const step of list) {
      if (step.do === 'spend') requests.push(`req_${run}_${requests.length}`)
      const before = balanceOf(double, accountId)
      const [real, model] = await Promise.all(sides.map((side) => take(side, step, { accountId, requests, before })))
      expect(real).toBe(model ?? '')
      expect(await shown(sides[0], accountId)).toEqual(await shown(sides[1], accountId))
      expect(balanceOf(double, accountId)).toBeGreaterThanOrEqual(0)
    }
    expect(Number((await kit.store.reads.account(accountId))?.balance)).toBe(balanceOf(double, accountId))
  })
  await fc.assert(property, { numRuns: Math.ceil(Number(process.env.ANYROUTER_RUNS ?? 100) / 4) })
  expect((await kit.store.reader.verify()).faults).toEqual([])
}, 600_000)

interface Scene {
  readonly accountId: string
  readonly requests: readonly string[]
  /** The balance: the ledger lets nothing take more. */
  readonly before: number
}

async function take({ writer, lots }: Side, step: Step, { accountId, requests, before }: Scene): Promise<string> {
  const common = { accountId, note: null, actor: 'local:0', atMs: 1 }
  switch (step.do) {
    case 'topUp':
      return codeOf(writer.enter({ ...common, kind: 'top_up', amount: money(step.amount) }))
    case 'adjust':
      if (step.amount > before) return 'too much'
      return codeOf(writer.enter({ ...common, kind: 'adjustment', amount: money(-step.amount) }))
    case 'grant': {
      const grant = { ...common, kind: 'promo_grant', amount: money(step.amount), expiresAtMs: step.endsAtMs } as const
      lots.push((await writer.enter(grant)).seq)
      return ''
    }
    case 'spend': {
      const row = settled(requests.at(-1) ?? '', Math.min(step.amount, before), accountId)
      return codeOf(writer.settle({ ...row, heldAtMs: step.heldAtMs }))
    }
    case 'refund': {
      const requestId = requests[step.nth % requests.length]
      if (requestId === undefined) return 'nothing'
      return codeOf(writer.enter({ ...common, kind: 'refund', amount: money(step.amount), requestId }))
    }
    case 'end': {
      const lot = lots[step.nth % lots.length]
      if (lot === undefined) return 'nothing'
      const end = { lot, accountId, amountMax: money(step.amountMax), actor: 'system', atMs: 1 }
      return String((await writer.endLot(end))?.amount ?? 'none')
    }
  }
}

/** Entries without their numbers, which go on from run to run in the file. */
async function shown(side: Side | undefined, accountId: string): Promise<unknown> {
  const rows: readonly Entry[] = (await side?.reader.entries(accountId, PAGE)) ?? []
  return rows.map(({ seq: _seq, lot: _lot, ...row }) => row)
}

const balanceOf = ({ tables }: StoreDouble, accountId: string): number =>
  Number(tables.accounts.get(accountId)?.balance)
