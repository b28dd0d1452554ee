import { expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { lotEnds } from '../../../src/ledger/lot-ends.ts'

const lot = (seq: number, remaining: number, expiresAtMs: number) => ({
  seq,
  accountId: 'acc_1',
  amount: money(100),
  remaining: money(remaining),
  expiresAtMs,
})
const LOTS = [lot(1, 40, 10), lot(2, 50, 20)]
const ends = (...holds: [openedAtMs: number, amount: number][]): number[] =>
  lotEnds(
    LOTS,
    holds.map(([openedAtMs, amount]) => ({ openedAtMs, amount: money(amount) })),
  ).map(({ amount }) => amount)

test('without holds all of it ends', () => {
  expect(ends()).toEqual([40, 50])
})

test('what is held lies on the first lot, then on the next', () => {
  expect(ends([5, 30])).toEqual([10, 50])
  expect(ends([5, 30], [6, 30])).toEqual([0, 30])
  expect(ends([5, 300])).toEqual([0, 0])
})

test('a hold that was opened at the end of a lot or later keeps none of it', () => {
  expect(ends([10, 30])).toEqual([40, 20])
  expect(ends([20, 30])).toEqual([40, 50])
})
