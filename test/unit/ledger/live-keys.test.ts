import { describe, expect, test } from 'bun:test'
import { type KeyBudgets, money } from '../../../src/domain/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { openWorld, settled, voided } from './ledger-kit.ts'

const TOTAL: KeyBudgets = { total: money(1000), day: null, week: null, month: null }

/** A ledger whose account can pay everything; `left` is of a budget of 1000 in all. */
function budgetWorld(keysOpenMax?: number) {
  const world = openWorld({ balance: 1_000_000, ...(keysOpenMax === undefined ? {} : { keysOpenMax }) })
  const left = (keyId = 'key_1'): number => world.ledger.budgetLeft(keyId, TOTAL)?.left ?? Number.NaN
  const spend = (requestId: string, amount: number, keyId = 'key_1') => {
    world.hold(requestId, amount, 'acc_1', keyId)
    return world.ledger.settle(settled(requestId, amount))
  }
  return { ...world, left, spend }
}

describe('an open key', () => {
  test('counts its holds and what they are charged', async () => {
    const { ledger, hold, left } = budgetWorld()
    expect(ledger.isKeyOpen('key_1')).toBe(false)
    expect(() => left()).toThrow('not open')
    await ledger.openKey('key_1')
    expect(ledger.isKeyOpen('key_1')).toBe(true)
    hold('req_1', 300)
    hold('req_2', 100)
    expect(left()).toBe(600)
    ledger.settle(settled('req_1', 120))
    ledger.settle(voided('req_2'))
    ledger.settle(settled('req_1', 500)) // a second end changes nothing
    expect(left()).toBe(880)
  })

  test('gets back a hold that could not be written, and one that leaked', async () => {
    const { ledger, double, hold, left } = budgetWorld()
    await ledger.openKey('key_1')
    double.disk.fail()
    hold('req_1', 300)
    await settleMicrotasks()
    expect(left()).toBe(1000)
    double.disk.heal()
    hold('req_2', 300)
    ledger.endLeaks(() => false)
    expect(left()).toBe(1000)
  })

  test('is charged beyond a hold what its budgets leave, and no more: the rest is the loss', async () => {
    const { ledger, hold, left } = budgetWorld()
    await ledger.openKey('key_1')
    hold('req_1', 300)
    hold('req_2', 600)
    expect(ledger.settle(settled('req_1', 450), TOTAL)).toMatchObject({ cost: 450, charged: 400, overrun: 50 })
    expect(left()).toBe(0)
    expect(ledger.settle(settled('req_2', 20), TOTAL)).toMatchObject({ charged: 20, overrun: 0 })
    expect(left()).toBe(580)
  })

  test('takes steps and is charged by the budgets of the windows in which its hold counts, also after their end', async () => {
    const { ledger, clock, hold } = budgetWorld()
    const day: KeyBudgets = { total: null, day: money(1000), week: null, month: null }
    await ledger.openKey('key_1')
    hold('req_1', 300)
    hold('req_2', 600)
    const heldAtMs = clock.wallMs()
    clock.advance(86_400_000)
    expect(ledger.budgetLeft('key_1', day)).toMatchObject({ left: 1000 })
    expect(ledger.budgetLeft('key_1', day, heldAtMs)).toMatchObject({ left: 100 })
    expect(ledger.extend('req_1', money(70), day)).toBe(money(70))
    expect(ledger.extend('req_1', money(70), day)).toBe(money(30))
    expect(ledger.extend('req_2', money(70), day)).toBe(money(0))
    expect(ledger.budgetLeft('key_1', day)).toMatchObject({ left: 1000 })
    expect(ledger.settle(settled('req_1', 390), day)).toMatchObject({ charged: 390 })
    expect(ledger.settle(settled('req_2', 700), day)).toMatchObject({ charged: 610, overrun: 90 })
    expect(ledger.budgetLeft('key_1', day)).toMatchObject({ left: 1000 })
  })

  test('has no part in what other keys do', async () => {
    const { ledger, spend, left } = budgetWorld()
    await ledger.openKey('key_1')
    spend('req_1', 500, 'key_2')
    expect(left()).toBe(1000)
  })
})

describe('opening', () => {
  test('reads what was spent before', async () => {
    const { ledger, spend, left } = budgetWorld()
    await spend('req_1', 250).durable
    await ledger.openKey('key_1')
    expect(left()).toBe(750)
  })

  test('counts holds that were opened while the key had no budget', async () => {
    const { ledger, hold, left } = budgetWorld()
    hold('req_1', 300)
    await ledger.openKey('key_1')
    expect(left()).toBe(700)
    ledger.settle(settled('req_1', 50))
    expect(left()).toBe(950)
  })

  test('waits for settlements that are not on disk, so that none is missed', async () => {
    const { ledger, double, spend, left } = budgetWorld()
    double.disk.holdBack()
    spend('req_1', 200)
    const opening = ledger.openKey('key_1')
    await settleMicrotasks()
    expect(ledger.isKeyOpen('key_1')).toBe(false)
    double.disk.letGo()
    await opening
    expect(left()).toBe(800)
  })

  test('waits for a settlement that is kept for the next commit, though one that was written after it is given up', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    double.disk.holdBack()
    double.disk.fail()
    spend('req_1', 200)
    hold('req_2', 30, 'acc_1', 'key_2')
    ledger.settleWithHold(settled('req_2', 7))?.catch(() => {})
    double.disk.commit()
    double.disk.acknowledge()
    const opening = ledger.openKey('key_1')
    await settleMicrotasks()
    expect(ledger.isKeyOpen('key_1')).toBe(false)
    double.disk.heal()
    double.disk.letGo()
    await opening
    expect(left()).toBe(800)
  })

  test('counts once what ends while the disk is asked', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    await spend('req_1', 100).durable
    hold('req_2', 300)
    double.readGate.holdBack()
    const opening = ledger.openKey('key_1')
    await settleMicrotasks()
    expect(double.readGate.waiting).toEqual(['spend key_1'])
    await ledger.settle(settled('req_2', 30)).durable // on disk, but not in what was read
    spend('req_3', 5)
    double.readGate.letGo()
    await opening
    expect(left()).toBe(1000 - 100 - 30 - 5)
  })

  test('counts once what ends before the disk is asked', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    hold('req_1', 300)
    double.disk.holdBack()
    spend('req_2', 5)
    const opening = ledger.openKey('key_1')
    ledger.settle(settled('req_1', 30))
    double.disk.letGo()
    await opening
    expect(left()).toBe(1000 - 30 - 5)
  })

  test('waits on for what ended while it waited', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    hold('req_1', 300)
    await settleMicrotasks()
    double.disk.holdBack()
    spend('req_2', 5)
    const opening = ledger.openKey('key_1')
    await settleMicrotasks()
    double.disk.commit()
    ledger.settle(settled('req_1', 30)) // in no batch yet
    double.disk.acknowledge()
    await settleMicrotasks()
    expect(ledger.isKeyOpen('key_1')).toBe(false)
    double.disk.letGo()
    await opening
    expect(left()).toBe(1000 - 5 - 30)
  })

  test('waits for its own settlements, in whatever order callers are told that they are on disk', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    hold('req_1', 300)
    await settleMicrotasks()
    double.disk.holdBack()
    const opening = ledger.openKey('key_1')
    ledger.settle(settled('req_1', 30))
    double.disk.commit()
    spend('req_2', 5, 'key_2')
    double.disk.commit()
    double.disk.acknowledge(1)
    await settleMicrotasks()
    expect(ledger.isKeyOpen('key_1')).toBe(false)
    double.disk.acknowledge()
    await opening
    expect(left()).toBe(1000 - 30)
  })

  test('counts once what takes the place of its hold, though one that was written after it is told first', async () => {
    const { ledger, double, hold, spend, left } = budgetWorld()
    double.disk.holdBack()
    hold('req_1', 300)
    const ended = ledger.settleWithHold(settled('req_1', 30))
    double.disk.commit()
    spend('req_2', 5, 'key_2')
    double.disk.commit()
    const opening = ledger.openKey('key_1')
    double.disk.acknowledge(1)
    await settleMicrotasks()
    double.disk.acknowledge()
    await opening
    await ended
    expect(left()).toBe(1000 - 30)
  })

  test('is one read for all who ask; one that fails is read again', async () => {
    const { ledger, double, left } = budgetWorld()
    double.readGate.holdBack()
    const all = [1, 2, 3].map(() => ledger.openKey('key_1').catch((error: Error) => error.message))
    await settleMicrotasks()
    double.readGate.releaseOne(0, new Error('broken'))
    expect(await Promise.all(all)).toEqual(['broken', 'broken', 'broken'])
    expect(double.readGate.begun).toBe(1)
    double.readGate.letGo()
    await ledger.openKey('key_1')
    expect(left()).toBe(1000)
  })

  test('a read that was overtaken by another changes nothing', async () => {
    const { ledger, double, clock, spend, left } = budgetWorld()
    await spend('req_1', 100).durable
    double.readGate.holdBack()
    const first = ledger.openKey('key_1')
    const second = ledger.openKey('key_1')
    await settleMicrotasks()
    clock.advance(1500) // the second no longer waits for the first
    await settleMicrotasks()
    expect(double.readGate.waiting).toHaveLength(2)
    double.readGate.releaseOne(1)
    await second
    spend('req_2', 10)
    double.readGate.letGo()
    await first
    expect(left()).toBe(890)
  })
})

test('an idle key makes room for others and is read again; a busy one stays', async () => {
  const { ledger, double, hold, spend, left } = budgetWorld(2)
  await ledger.openKey('key_1')
  await spend('req_1', 100).durable
  const others = async (from: number) => {
    for (let at = from; at < from + 20; at++) await ledger.openKey(`other_${at}`)
  }
  hold('req_2', 50)
  await others(0)
  expect(ledger.isKeyOpen('key_1')).toBe(true)
  double.disk.holdBack()
  ledger.settle(settled('req_2', 50))
  double.disk.letGo()
  await settleMicrotasks()
  await others(20)
  expect(ledger.isKeyOpen('key_1')).toBe(false)
  await ledger.openKey('key_1')
  expect(left()).toBe(850)
})
