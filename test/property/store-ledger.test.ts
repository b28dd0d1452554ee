import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { money, NO_LIMITS } from '../../src/domain/index.ts'
import { breathe } from '../support/wire.ts'
import { balanceOf, holdOf, OFFER, type StoreKit, settled, storeKit, topUp, voided } from '../unit/store/store-kit.ts'

// The writer under random commands, failing commits, restarts and repeated settlements, against a few maps.

type Step =
  | { readonly kind: 'hold'; readonly account: number; readonly amount: number }
  | { readonly kind: 'settle'; readonly which: number; readonly charged: number }
  | { readonly kind: 'void'; readonly which: number }
  | { readonly kind: 'again'; readonly which: number }
  | { readonly kind: 'enter'; readonly account: number; readonly amount: number }
  | { readonly kind: 'checkpoint'; readonly which: number; readonly units: number }
  | { readonly kind: 'fault'; readonly code: string; readonly reachesDisk: boolean }
  | { readonly kind: 'tick' | 'probe' | 'restart' }

const which = fc.nat(30)
const account = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('hold' as const), account, amount: fc.nat(500) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle' as const), which, charged: fc.nat(500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('void' as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('enter' as const), account, amount: fc.integer({ min: 1, max: 999 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), which, units: fc.nat(200) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      code: fc.constantFrom('SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_IOERR_WRITE'),
      reachesDisk: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('tick' as const, 'probe' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)

interface Model {
  /** What each account must have at the end. */
  readonly balances: Map<string, number>
  /** Holds that nobody has ended yet: the account, the amount, and the last checkpoint. */
  readonly open: Map<string, { account: string; amount: number; units: number | null }>
  /** What each ended request was charged. */
  readonly ended: Map<string, { account: string; charged: number }>
}

let kit: StoreKit
let run = 0
beforeAll(async () => {
  kit = await storeKit()
})
afterAll(() => kit.end())
const pick = (model: Model, at: number): string | undefined => [...model.open.keys()][at % Math.max(1, model.open.size)]

test('balances are what the model says, whatever fails in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const prefix = `run${run++}`
      const model = await begin(prefix)
      let number = 0
      for (const one of steps) await take(one, model, `${prefix}_${String(number++).padStart(3, '0')}`, prefix)
      await restart(model)
      expect(model.open.size).toBe(0)
      for (const [id, balance] of model.balances) expect(await balanceOf(kit.store, id)).toBe(balance)
      expect((await kit.store.reader.verify()).faults).toEqual([])
      expect(kit.fatal).toEqual([])
    }),
    { numRuns: Math.ceil(Number(process.env.ANYROUTER_RUNS ?? 100) / 10) }, // each ends with a restart, which starts two threads anew
  )
}, 600_000)

/** Three accounts of this run's own, with a key for all holds. */
async function begin(prefix: string): Promise<Model> {
  const { writer } = kit.store
  const ids = [0, 1, 2].map((at) => `${prefix}_acc_${at}`)
  await Promise.all(ids.map((id) => writer.createAccount({ id, name: id, kind: 'unmetered', createdAtMs: 1 })))
  if (prefix === 'run0') {
    const [accountId = ''] = ids
    const fields = { accountId, name: 'k', hash: 'h', prefix: 'p', ...NO_LIMITS, createdAtMs: 1 }
    await writer.createKey({ id: 'key_1', ...fields })
  }
  return { balances: new Map(ids.map((id) => [id, 0])), open: new Map(), ended: new Map() }
}

function move(model: Model, accountId: string, amount: number): void {
  model.balances.set(accountId, (model.balances.get(accountId) ?? 0) + amount)
}

async function take(one: Step, model: Model, requestId: string, prefix: string): Promise<void> {
  const { writer } = kit.store
  switch (one.kind) {
    case 'hold': {
      const id = `${prefix}_acc_${one.account}`
      if (!writer.accepting()) return
      model.open.set(requestId, { account: id, amount: one.amount, units: null })
      writer.hold(holdOf(requestId, one.amount, id)).catch(() => model.open.delete(requestId)) // then none is on disk
      return
    }
    case 'settle':
    case 'void': {
      const id = pick(model, one.which)
      const hold = id === undefined ? undefined : model.open.get(id)
      if (id === undefined || hold === undefined) return
      const charged = one.kind === 'settle' ? one.charged : 0
      model.open.delete(id)
      model.ended.set(id, { account: hold.account, charged })
      move(model, hold.account, -charged)
      const row =
        one.kind === 'settle' ? settled(id, charged, hold.account) : { ...voided(id), accountId: hold.account }
      writer.settle({ ...row, held: money(hold.amount) })
      return
    }
    case 'again': {
      const id = [...model.ended.keys()][one.which % Math.max(1, model.ended.size)]
      const end = id === undefined ? undefined : model.ended.get(id)
      if (id !== undefined && end !== undefined) writer.settle(settled(id, end.charged + 1, end.account))
      return
    }
    case 'enter': {
      const id = `${prefix}_acc_${one.account}`
      await writer.enter(topUp(one.amount, id)).then(
        () => move(model, id, one.amount),
        () => {},
      )
      return
    }
    case 'checkpoint': {
      const id = pick(model, one.which)
      if (id === undefined) return
      writer.checkpoint(id, { offer: OFFER.offer, deliveredUnits: one.units })
      const account = model.open.get(id)?.account ?? ''
      // The end of an entry in the same batch tells that it is written now, or will be before anything else: it is kept when a commit fails.
      await writer.enter(topUp(1, account)).then(
        () => move(model, account, 1),
        () => {},
      )
      const hold = model.open.get(id)
      if (hold !== undefined) hold.units = one.units
      return
    }
    case 'fault':
      return kit.faults.set({ failCommits: 1, commitCode: one.code, failAfterCommit: one.reachesDisk })
    case 'tick':
      await breathe()
      return
    case 'probe':
      kit.clock.advance(1000)
      return
    case 'restart':
      return restart(model)
  }
}

/** Closes and opens: what is open then is settled from its checkpoint, or voided. */
async function restart(model: Model): Promise<void> {
  await kit.faults.set({ failCommits: 0 })
  await kit.reopen()
  await breathe()
  for (const { account: id, amount, units } of model.open.values()) {
    if (units !== null) move(model, id, -Math.min(amount, OFFER.promptUnits + 2 * units))
  }
  model.open.clear()
}
