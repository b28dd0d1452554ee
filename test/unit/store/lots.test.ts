import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import type { Entry, NewEntry } from '../../../src/store/index.ts'
import { balanceOf, codeOf, fundedAccount, holdOf, type StoreKit, settled, storeKit, topUp } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store, 1000)
})
afterEach(async () => {
  expect(await kit.store.reader.verify()).toMatchObject({ clean: true, faults: [] })
  await kit.end()
})

const grant = (amount: number, expiresAtMs: number): Promise<Entry> =>
  kit.store.writer.enter({ ...topUp(amount), kind: 'promo_grant', expiresAtMs })
const refundOf = (requestId: string, amount: number): NewEntry => ({ ...topUp(amount), kind: 'refund', requestId })
const endOf = (lot: number, amountMax: number) =>
  kit.store.writer.endLot({ lot, accountId: 'acc_1', amountMax: money(amountMax), actor: 'system', atMs: 9 })
const spend = (requestId: string, charged: number) => kit.store.writer.settle(settled(requestId, charged))
const left = async (accountId = 'acc_1'): Promise<Record<number, number>> => {
  const rows = await kit.store.reader.entries(accountId, { limit: 99, after: null })
  return Object.fromEntries(rows.flatMap(({ seq, remaining }) => (remaining === undefined ? [] : [[seq, remaining]])))
}

describe('refunds', () => {
  test('give back at most what was charged, in parts', async () => {
    await spend('req_1', 300)
    expect(await kit.store.writer.enter(refundOf('req_1', 100))).toMatchObject({
      balanceAfter: 800,
      requestId: 'req_1',
    })
    expect(await codeOf(kit.store.writer.enter(refundOf('req_1', 201)))).toBe('conflict')
    await kit.store.writer.enter(refundOf('req_1', 200))
    expect(await codeOf(kit.store.writer.enter(refundOf('req_1', 1)))).toBe('conflict')
    expect(await balanceOf(kit.store)).toBe(1000)
    expect<unknown>(await kit.store.reader.refundable('req_1')).toEqual({
      accountId: 'acc_1',
      charged: 300,
      refunded: 300,
    })
    const [entry] = await kit.store.reader.entries('acc_1', { limit: 1, after: null })
    expect(entry).toMatchObject({ kind: 'refund', requestId: 'req_1', amount: 200 })
  })

  test('two of the whole at once: one', async () => {
    await spend('req_1', 300)
    const ends = await Promise.all([1, 2].map(() => codeOf(kit.store.writer.enter(refundOf('req_1', 300)))))
    expect(ends.sort()).toEqual(['conflict', 'no error'])
    expect(await balanceOf(kit.store)).toBe(1000)
  })

  test('of a request that is not the account s, or is none', async () => {
    expect(await codeOf(kit.store.writer.enter(refundOf('req_9', 1)))).toBe('not_found')
    await spend('req_1', 300)
    await kit.store.writer.createAccount({ id: 'acc_2', name: 'other', kind: 'prepaid', createdAtMs: 1 })
    expect(await codeOf(kit.store.writer.enter({ ...refundOf('req_1', 1), accountId: 'acc_2' }))).toBe('not_found')
    expect(await kit.store.reader.refundable('req_9')).toBeNull()
  })

  test('leave what keys spent as it was, and are no credit that came in', async () => {
    await spend('req_1', 300)
    await kit.store.writer.enter(refundOf('req_1', 300))
    const day = { total: 0, day: 0, week: 0, month: 0 }
    expect((await kit.store.reads.keySpend('key_1', day)).total as number).toBe(300)
    expect(await kit.store.reader.accountFigures('acc_1', 0)).toMatchObject({ credited: 1000n, balance: 1000n })
  })
})

describe('lots', () => {
  test('requests use what ends first at first, then the next, then what was paid', async () => {
    const late = await grant(100, 90)
    const soon = await grant(100, 50)
    await spend('req_1', 130)
    expect(await left()).toEqual({ [soon.seq]: 0, [late.seq]: 70 })
    await spend('req_2', 100)
    expect(await left()).toEqual({ [soon.seq]: 0, [late.seq]: 0 })
    expect(await balanceOf(kit.store)).toBe(970)
  })

  test('are their own account’s alone', async () => {
    const { writer } = kit.store
    await writer.createAccount({ id: 'acc_2', name: 'other', kind: 'prepaid', createdAtMs: 1 })
    const { seq: theirs } = await writer.enter({ ...topUp(100, 'acc_2'), kind: 'promo_grant', expiresAtMs: 20 })
    const { seq } = await grant(100, 90)
    await spend('req_1', 130)
    await writer.enter({ ...topUp(-960), kind: 'adjustment' })
    expect([await left(), await left('acc_2')]).toEqual([{ [seq]: 0 }, { [theirs]: 100 }])
    await writer.settle(settled('req_2', 60, 'acc_2'))
    expect([await left(), await left('acc_2')]).toEqual([{ [seq]: 0 }, { [theirs]: 40 }])
  })

  test('several settlements of one batch', async () => {
    const { seq } = await grant(100, 90)
    await Promise.all([spend('req_1', 60), spend('req_2', 60), spend('req_3', 60)])
    expect(await left()).toEqual({ [seq]: 0 })
    expect(await balanceOf(kit.store)).toBe(920)
    await kit.store.writer.enter(refundOf('req_2', 60))
    expect(await left()).toEqual({ [seq]: 40 })
  })

  test('a hold that was opened after the end of a lot leaves it alone, while there is something else', async () => {
    const { seq } = await grant(100, 5) // the hold was opened at 5
    await spend('req_1', 300)
    expect(await left()).toEqual({ [seq]: 100 })
    await spend('req_2', 750)
    expect(await left()).toEqual({ [seq]: 50 })
    expect(await balanceOf(kit.store)).toBe(50)
  })

  test('of several that have ended, the one that ended first is used first, and no more than must be', async () => {
    const [second, first] = [await grant(100, 5), await grant(100, 4)]
    await spend('req_1', 1050)
    expect(await left()).toEqual({ [first.seq]: 50, [second.seq]: 100 })
  })

  test('a refund goes back to what was paid first, then to the lot that ends last', async () => {
    const late = await grant(100, 90)
    const soon = await grant(100, 50)
    await spend('req_1', 250)
    await kit.store.writer.enter(refundOf('req_1', 70))
    expect(await left()).toEqual({ [soon.seq]: 0, [late.seq]: 20 })
    await kit.store.writer.enter(refundOf('req_1', 90))
    expect(await left()).toEqual({ [soon.seq]: 10, [late.seq]: 100 })
    await kit.store.writer.enter(refundOf('req_1', 90))
    expect(await left()).toEqual({ [soon.seq]: 100, [late.seq]: 100 })
  })

  test('what remains at the end leaves the balance, once', async () => {
    const { seq } = await grant(100, 90)
    await spend('req_1', 30)
    expect(await endOf(seq, 100)).toMatchObject({ kind: 'promo_expiry', amount: -70, lot: seq, balanceAfter: 970 + 30 })
    expect(await endOf(seq, 100)).toBeNull()
    expect(await balanceOf(kit.store)).toBe(1000)
    expect(await kit.store.reader.accountFigures('acc_1', 0)).toMatchObject({
      credited: 1030n,
      balance: 1000n,
      promo: 0n,
    })
  })

  test('no more than is asked for: the rest is held', async () => {
    const { seq } = await grant(100, 90)
    expect(await endOf(seq, 40)).toMatchObject({ amount: -40 })
    expect(await left()).toEqual({ [seq]: 60 })
  })

  test('an adjustment takes what was paid first', async () => {
    const { seq } = await grant(100, 90)
    const adjust = (amount: number) => kit.store.writer.enter({ ...topUp(amount), kind: 'adjustment' })
    await adjust(-1000)
    expect(await left()).toEqual({ [seq]: 100 })
    await adjust(-1)
    expect(await left()).toEqual({ [seq]: 99 })
    await adjust(-49)
    expect(await left()).toEqual({ [seq]: 50 })
  })

  test('are due by their end, in pages', async () => {
    const [one, two, three] = [await grant(1, 90), await grant(2, 50), await grant(3, 70)]
    const due = await kit.store.reader.lotsDue(70, { limit: 9, after: null })
    expect(due.map(({ seq }) => seq)).toEqual([two.seq, three.seq])
    const page = await kit.store.reader.lotsDue(90, { limit: 9, after: String(two.seq) })
    expect(page.map(({ seq }) => seq)).toEqual([three.seq, one.seq])
  })

  test('recovery uses them as a settlement does', async () => {
    const { seq } = await grant(100, 90)
    await kit.store.writer.hold(holdOf('req_1'))
    kit.store.writer.checkpoint('req_1', { offer: 'acme/small', deliveredUnits: 10 })
    await kit.reopen()
    expect(await left()).toEqual({ [seq]: 0 })
    expect(await balanceOf(kit.store)).toBe(980)
  })
})
