import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { amounts, COVERED, entry, openWorld, settled, voided } from './ledger-kit.ts'

describe('open', () => {
  test('the first row wins, a later one is dropped', () => {
    const { open, funds } = openWorld()
    open('acc_1', 900)
    expect<unknown>(funds()).toEqual(amounts(100, 0))
  })

  test('an account that is not open is a bug to ask for', () => {
    const { ledger } = openWorld()
    expect(ledger.isOpen('acc_9')).toBe(false)
    expect(() => ledger.funds('acc_9')).toThrow('acc_9 is not open')
  })
})

describe('hold', () => {
  test('is in memory at once, and in the batch of the same tick', async () => {
    const { hold, funds, double, clock } = openWorld()
    double.disk.holdBack()
    const open = hold('req_1', 30)
    expect<unknown>(funds()).toEqual(amounts(100, 30))
    double.disk.commit()
    expect(double.tables.holds.get('req_1')?.hold).toMatchObject({
      accountId: 'acc_1',
      keyId: 'key_1',
      amount: money(30),
      openedAtMs: clock.wallMs(),
      covers: [COVERED],
    })
    double.disk.acknowledge()
    await open?.durable
  })

  test('is refused to a prepaid account that has less available, and then nothing has changed', async () => {
    const { hold, funds, double } = openWorld()
    expect(hold('req_1', 60)).not.toBeNull()
    expect(hold('req_2', 41)).toBeNull()
    expect<unknown>(funds()).toEqual(amounts(100, 60))
    expect(hold('req_3', 40)).not.toBeNull()
    await settleMicrotasks()
    expect([...double.tables.holds.keys()]).toEqual(['req_1', 'req_3'])
  })

  test('is never refused to an unmetered account, but for amounts that cannot be counted', async () => {
    const { hold, funds, ledger } = openWorld({ kind: 'unmetered', balance: 0 })
    expect(hold('req_1', 500)).not.toBeNull()
    expect<unknown>(funds()).toEqual(amounts(0, 500))
    expect(hold('req_2', Number.MAX_SAFE_INTEGER)).toBeNull()
    expect<unknown>(funds()).toEqual(amounts(0, 500))
    const entering = ledger.enter(entry(-30))
    expect(hold('req_3', Number.MAX_SAFE_INTEGER - 529)).toBeNull()
    expect(hold('req_4', Number.MAX_SAFE_INTEGER - 530)).not.toBeNull()
    await entering
  })

  test('is refused while the writer does not accept', async () => {
    const { hold, funds, double } = openWorld()
    double.disk.fail()
    hold('req_1', 1)
    await settleMicrotasks()
    expect(() => hold('req_2', 1)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }))
    expect<unknown>(funds()).toEqual(amounts(100, 0))
    double.disk.heal()
    expect(hold('req_3', 1)).not.toBeNull()
  })

  test('a second one of the same request is a bug, also after its end', () => {
    const { hold, ledger } = openWorld()
    hold('req_1', 1)
    expect(() => hold('req_1', 1)).toThrow('a second hold')
    ledger.settle(voided('req_1'))
    expect(() => hold('req_1', 1)).toThrow('a second hold')
  })

  test('is released when its commit fails: the caller learns it, and whoever ends it later is charged nothing', async () => {
    const { hold, funds, double, ledger } = openWorld()
    double.disk.fail()
    const open = hold('req_1', 30)
    await expect(open?.durable).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect<unknown>(funds()).toEqual(amounts(100, 0))
    const end = ledger.settle(settled('req_1', 20))
    expect(end).toMatchObject({ cost: money(0), charged: money(0), balance: money(100) })
    await expect(end.durable).rejects.toMatchObject({ code: 'storage_unavailable' })
    double.disk.heal()
    await settleMicrotasks()
    expect(double.tables.settlements.size).toBe(0)
    expect<unknown>(funds()).toEqual(amounts(100, 0))
  })

  test('that was settled before its commit failed is not released a second time', async () => {
    const { hold, funds, double, ledger } = openWorld()
    double.disk.holdBack()
    double.disk.fail()
    const open = hold('req_1', 30)
    const end = ledger.settle(settled('req_1', 20))
    double.disk.commit()
    double.disk.acknowledge()
    await expect(open?.durable).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect<unknown>(funds()).toEqual(amounts(80, 0))
    double.disk.heal()
    double.disk.letGo()
    await end.durable
    expect(double.tables.settlements.get('req_1')?.charged).toBe(money(20))
    expect(await double.reader.verify()).toMatchObject({ clean: true, openHolds: 0 })
  })
})

describe('settle', () => {
  test('charges usage × price, releases the hold, and writes the whole row in the same tick', async () => {
    const { hold, funds, double, ledger, clock } = openWorld()
    hold('req_1', 60)
    clock.advance(1500)
    const end = ledger.settle(settled('req_1', 10, 20))
    expect(end).toMatchObject({ cost: money(50), charged: money(50), overrun: money(0), balance: money(50) })
    expect<unknown>(funds()).toEqual(amounts(50, 0))
    await end.durable
    expect(double.tables.settlements.get('req_1')).toEqual({
      ...settled('req_1', 10, 20),
      accountId: 'acc_1',
      keyId: 'key_1',
      cost: money(50),
      charged: money(50),
      overrun: money(0),
      expense: money(25),
      held: money(60),
      heldAtMs: clock.wallMs() - 1500,
      endedAtMs: clock.wallMs(),
      seq: 1,
    })
  })

  test('charges beyond the hold what is available, and no more: the rest is the loss', () => {
    const { hold, funds, ledger } = openWorld()
    hold('req_1', 30)
    hold('req_2', 50)
    const end = ledger.settle(settled('req_1', 75))
    expect(end).toMatchObject({ cost: money(75), charged: money(50), overrun: money(25), balance: money(50) })
    expect<unknown>(funds()).toEqual(amounts(50, 50))
  })

  test('charges an unmetered account all of it, below zero', () => {
    const { hold, funds, ledger } = openWorld({ kind: 'unmetered', balance: 10 })
    hold('req_1', 1)
    const end = ledger.settle(settled('req_1', 75))
    expect(end).toMatchObject({ cost: money(75), charged: money(75), overrun: money(0), balance: money(-65) })
    expect<unknown>(funds()).toEqual(amounts(-65, 0))
  })

  test('reckons no expense when the cost to the operator is unknown', async () => {
    const { hold, double, ledger } = openWorld()
    hold('req_1', 10)
    await ledger.settle({ ...settled('req_1', 10), covered: { ...COVERED, cost: null } }).durable
    expect(double.tables.settlements.get('req_1')).toMatchObject({ charged: money(10), expense: money(0) })
  })

  test('voids for nothing', async () => {
    const { hold, funds, double, ledger } = openWorld()
    hold('req_1', 60)
    await ledger.settle(voided('req_1')).durable
    expect<unknown>(funds()).toEqual(amounts(100, 0))
    expect(double.tables.settlements.get('req_1')).toMatchObject({ end: 'voided', cost: money(0), held: money(60) })
  })

  test('a second end changes nothing and answers the figures of the first', async () => {
    const { hold, funds, double, ledger } = openWorld()
    hold('req_1', 60)
    const first = ledger.settle(settled('req_1', 10))
    expect(ledger.settle(voided('req_1'))).toBe(first)
    expect(ledger.settle(settled('req_1', 50))).toBe(first)
    expect<unknown>(funds()).toEqual(amounts(90, 0))
    await first.durable
    expect(double.tables.settlements.size).toBe(1)
  })

  test('of a request that never held is a bug, and so is one that names no offer', () => {
    const { hold, ledger, funds } = openWorld()
    expect(() => ledger.settle(voided('req_9'))).toThrow('no hold of req_9')
    hold('req_1', 10)
    expect(() => ledger.settle({ ...settled('req_1', 1), covered: null })).toThrow('names the offer')
    expect<unknown>(funds()).toEqual(amounts(100, 10))
  })
})

describe('checkpoint', () => {
  test('brings what is held by now with it', async () => {
    const { hold, ledger, double, funds } = openWorld({ balance: 30 })
    hold('req_1', 10)
    expect(ledger.extend('req_1', money(15), null)).toBe(money(15))
    expect(ledger.extend('req_1', money(15), null)).toBe(money(5))
    expect(ledger.extend('req_1', money(15), null)).toBe(money(0))
    expect(funds()).toMatchObject({ held: 30, available: 0 })
    ledger.checkpoint('req_1', { offer: 'north/m1', deliveredUnits: 7 })
    await settleMicrotasks()
    expect(double.tables.holds.get('req_1')?.hold.amount).toBe(money(30))
    ledger.settle(settled('req_1', 20))
    await settleMicrotasks()
    expect(double.tables.settlements.get('req_1')).toMatchObject({ charged: 20, held: 30 })
    expect(funds()).toMatchObject({ balance: 10, held: 0 })
    expect(ledger.extend('req_1', money(1), null)).toBe(money(0))
  })

  test('is written beside an open hold, and not after its end', async () => {
    const { hold, ledger, double } = openWorld()
    hold('req_1', 10)
    ledger.checkpoint('req_1', { offer: 'north/m1', deliveredUnits: 7 })
    await settleMicrotasks()
    expect(double.tables.holds.get('req_1')?.checkpoint).toEqual({ offer: 'north/m1', deliveredUnits: 7 })
    ledger.settle(voided('req_1'))
    await settleMicrotasks()
    const { items } = double.writer.stats()
    ledger.checkpoint('req_1', { offer: 'north/m1', deliveredUnits: 9 })
    await settleMicrotasks()
    expect(double.writer.stats().items).toBe(items)
  })
})

describe('leaks', () => {
  test('holds that no live request owns are voided, counted and logged; the others stay', async () => {
    const { ledger, hold, funds, double, lines } = openWorld()
    hold('req_1', 10)
    hold('req_2', 20)
    expect(ledger.endLeaks((requestId) => requestId === 'req_2')).toBe(1)
    expect<unknown>(funds()).toEqual(amounts(100, 20))
    expect(ledger.stats()).toEqual({ accountsOpen: 1, openHolds: 1, leaks: 1 })
    expect(lines).toEqual([
      { event: 'leak', fields: { request_id: 'req_1', account_id: 'acc_1', held_usd: '0.00000001' } },
    ])
    await settleMicrotasks()
    expect(double.tables.settlements.get('req_1')).toMatchObject({ end: 'voided', reason: 'leak' })
  })
})

describe('a settlement in place of its hold', () => {
  test('is one row; memory changes once it is on disk', async () => {
    const { ledger, hold, funds, double } = openWorld()
    double.disk.holdBack()
    hold('req_1', 30)
    const ended = ledger.settleWithHold(settled('req_1', 7))
    expect<unknown>(funds()).toEqual(amounts(100, 30))
    expect(ledger.settleWithHold(settled('req_1', 7))).toBeNull()
    expect(() => ledger.settle(voided('req_1'))).toThrow('while its settlement is being written')
    double.disk.letGo()
    expect(await ended).toMatchObject({ charged: 7, balance: 93 })
    expect<unknown>(funds()).toEqual(amounts(93, 0))
    expect(double.tables.holds.size).toBe(0)
    expect(double.tables.settlements.get('req_1')).toMatchObject({ charged: 7, held: 30 })
    expect(ledger.settle(voided('req_1'))).toMatchObject({ charged: 7 })
  })

  test('is not when the hold is on disk, when the request cost more than it holds, or when there is no hold', async () => {
    const { ledger, hold, double } = openWorld()
    await hold('req_1', 30)?.durable
    expect(ledger.settleWithHold(settled('req_1', 7))).toBeNull()
    double.disk.holdBack()
    hold('req_2', 30)
    expect(ledger.settleWithHold(settled('req_2', 31))).toBeNull()
    expect(ledger.settle(settled('req_2', 31))).toMatchObject({ charged: 31 })
    expect(ledger.settleWithHold(settled('req_3', 1))).toBeNull()
    double.disk.letGo()
  })

  test('whose commit fails charges nothing, and is not written later', async () => {
    const { ledger, hold, funds, double } = openWorld()
    double.disk.holdBack()
    double.disk.fail()
    hold('req_1', 30)
    const ended = ledger.settleWithHold(settled('req_1', 7))
    double.disk.commit()
    double.disk.acknowledge()
    await expect(ended).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect<unknown>(funds()).toEqual(amounts(100, 0))
    expect(ledger.settle(voided('req_1'))).toMatchObject({ charged: 0 })
    double.disk.heal()
    double.disk.letGo()
    expect(double.tables.settlements.size).toBe(0)
  })
})
