import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { coverName, type MoneySettings, money } from '../../../src/domain/index.ts'
import type { SettlementView } from '../../../src/store/index.ts'
import { endOfDeadHold } from '../../../src/store/sqlite/recover.ts'
import { kill, storeChild } from './process-kit.ts'
import { balanceOf, fundedAccount, holdOf, OFFER, settled, storeKit, tempFolder } from './store-kit.ts'

let root = ''
beforeEach(() => {
  root = tempFolder()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const PAGE = { limit: 100, after: null }
const byRequest = (rows: readonly SettlementView[]) => new Map(rows.map((row) => [row.requestId, row]))

/** The prompt costs 100, the 50 delivered tokens 2 each: 200; the hold of `req_low` is 120, that of `req_far` 1000. */
const EXPECTED: Record<MoneySettings['crash'], { far: number; low: number; lowOverrun: number; settled: number }> = {
  delivered: { far: 200, low: 120, lowOverrun: 80, settled: 2 },
  hold: { far: 1000, low: 120, lowOverrun: 0, settled: 2 },
  void: { far: 0, low: 0, lowOverrun: 0, settled: 0 },
}

describe('after kill -9', () => {
  test('open holds are closed exactly once, as the setting says', async () => {
    const killed = join(root, 'killed')
    const { child, line } = await storeChild(killed, 'holds')
    expect(line).toBe('ready')
    await kill(child)

    for (const crash of ['delivered', 'hold', 'void'] as const) {
      const folder = join(root, crash)
      cpSync(killed, folder, { recursive: true })
      const expected = EXPECTED[crash]
      const kit = await storeKit({ dataFolder: folder, money: { crash } })
      expect(kit.store.recovery).toEqual({ epoch: 2, settled: expected.settled, voided: 3 - expected.settled })
      const rows = byRequest(await kit.store.reader.settlements('acc_1', PAGE))
      expect(rows.get('req_far')).toMatchObject({ charged: expected.far, held: 1000, reason: 'crash' })
      expect(rows.get('req_low')).toMatchObject({ charged: expected.low, overrun: expected.lowOverrun })
      expect(rows.get('req_new')).toMatchObject({ end: 'voided', charged: 0, usageSource: null, covered: null })
      expect(await balanceOf(kit.store)).toBe(1_000_001 - expected.far - expected.low)
      expect(await kit.store.reader.verify()).toMatchObject({ clean: true, openHolds: 0, settlements: 3 })

      const again = await kit.reopen()
      expect(again.recovery).toEqual({ epoch: 3, settled: 0, voided: 0 })
      expect(await balanceOf(again)).toBe(1_000_001 - expected.far - expected.low)
      await again.close()
    }
  })

  test.each([
    ['hold', 'hold'],
    ['void', 'void'],
    [null, 'delivered'], // a process of a version that did not write it down
  ] as const)('without a setting: as the dead process was told (%p: %s)', async (told, meant) => {
    const { child } = await storeChild(root, 'holds')
    await kill(child)
    const db = new Database(join(root, 'ledger.db'))
    db.run('UPDATE epoch SET crash = ?', [told])
    db.close()
    const kit = await storeKit({ dataFolder: root, money: { crash: null } })
    const { far, low, settled } = EXPECTED[meant]
    expect(kit.store.recovery).toMatchObject({ settled })
    expect(await balanceOf(kit.store)).toBe(1_000_001 - far - low)
    await kit.store.close()
  })

  test('a recovered settlement carries what it was reckoned from', async () => {
    const { child } = await storeChild(root, 'holds')
    await kill(child)
    const kit = await storeKit({ dataFolder: root })
    const far = byRequest(await kit.store.reader.settlements(null, PAGE)).get('req_far')
    expect(far).toMatchObject({
      end: 'settled',
      usageSource: 'recovered',
      usage: { input: 100, cachedInput: 0, cacheWrite: 0, output: 50, reasoning: 0 },
      covered: OFFER,
      cost: 200,
      expense: 100,
      endedAtMs: kit.clock.wallMs(),
    })
    await kit.store.close()
  })
})

describe('a writer thread that dies', () => {
  test('before its commit: fatal; the next start recovers the hold from its checkpoint', async () => {
    const { child } = await storeChild(root, 'before_commit')
    expect(await child.exited).toBe(3)
    const kit = await storeKit({ dataFolder: root })
    expect(kit.store.recovery).toMatchObject({ settled: 1, voided: 0 })
    expect(await balanceOf(kit.store)).toBe(1_000_001 - 200)
    expect((await kit.store.reader.verify()).faults).toEqual([])
    await kit.store.close()
  })

  test('after its commit: fatal; the settlement is there, and only once', async () => {
    const { child } = await storeChild(root, 'after_commit')
    expect(await child.exited).toBe(3)
    const kit = await storeKit({ dataFolder: root })
    expect(kit.store.recovery).toMatchObject({ settled: 0, voided: 0 })
    expect(await balanceOf(kit.store)).toBe(1_000_001 - 777)
    expect((await kit.store.reader.verify()).faults).toEqual([])
    await kit.store.close()
  })
})

test.each(['delivered', 'hold'] as const)(
  'what an own credential delivered costs nothing after a crash (%s)',
  (crash) => {
    const operators = {
      offer: 'b/m',
      backend: 'b',
      price: { input: 0, output: 2_000_000 },
      cost: null,
      promptUnits: 10,
    }
    const own = { ...operators, price: { input: 0, output: 0 }, credential: 'cred_1' }
    const hold = {
      requestId: 'r',
      accountId: 'a',
      keyId: 'k',
      openedAtMs: 1,
      amount: money(900),
      covers: [own, operators],
    }
    const ended = (cover: typeof operators) =>
      endOfDeadHold(
        { hold, checkpoint: { offer: coverName(cover), deliveredUnits: 50 }, crash: null },
        { crash, wallMs: 2 },
      )
    expect(ended(own)).toMatchObject({ end: 'settled', charged: 0, covered: own })
    expect(ended(operators)).toMatchObject({ end: 'settled', charged: crash === 'hold' ? 900 : 100 })
  },
)

test('what a hold was extended by is on disk with its checkpoint, and bounds what is recovered; the row never takes less than it had', async () => {
  const kit = await storeKit({ dataFolder: root })
  await fundedAccount(kit.store)
  const { writer } = kit.store
  await Promise.all([writer.hold(holdOf('req_grown', 120)), writer.hold(holdOf('req_same', 120))])
  writer.checkpoint('req_grown', { offer: 'acme/small', deliveredUnits: 500, amount: money(700) })
  writer.checkpoint('req_same', { offer: 'acme/small', deliveredUnits: 500 })
  await writer.settle(settled('req_other'))
  expect((await kit.store.reader.holds(null)).map(({ amount }) => Number(amount)).sort()).toEqual([120, 700])
  const again = await kit.reopen()
  const rows = byRequest(await again.reader.settlements(null, PAGE))
  expect(rows.get('req_grown')).toMatchObject({ charged: 700, held: 700, cost: 1100, overrun: 400 })
  expect(rows.get('req_same')).toMatchObject({ charged: 120, held: 120 })
  expect(await again.reader.verify()).toMatchObject({ clean: true, openHolds: 0 })
  await again.close()
})

test('of an own credential the fee is recovered, also where holds are charged whole; what the request fixes is in it', () => {
  const own = { ...OFFER, cost: { input: 0, output: 0 }, credential: 'cred_1', feeBps: 1000 }
  const covered = { ...own, price: { ...OFFER.price, perImage: 50 }, asked: { images: 2 } }
  const dead = {
    hold: { ...holdOf('req_own'), covers: [covered] },
    checkpoint: { offer: coverName(covered), deliveredUnits: 50 },
    crash: null,
  }
  for (const crash of ['delivered', 'hold'] as const)
    expect(endOfDeadHold(dead, { crash, wallMs: 1 })).toMatchObject({ cost: 30, charged: 30, expense: 0 })
})
