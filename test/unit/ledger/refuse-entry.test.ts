import { expect, test } from 'bun:test'
import { type AccountKind, money, ZERO } from '../../../src/domain/index.ts'
import { refuseEntry } from '../../../src/ledger/refuse-entry.ts'
import type { EntryKind } from '../../../src/store/index.ts'

const account = (kind: AccountKind, balance: number) => ({
  id: 'acc_1',
  kind,
  balance: money(balance),
  held: money(10),
  outgoing: ZERO,
  incoming: ZERO,
  openHolds: 1,
  unacknowledged: 0,
  usedLately: false,
})
const nearlyFull = account('prepaid', Number.MAX_SAFE_INTEGER - 10)
const refusal = (kind: EntryKind, amount: number, of = account('prepaid', 100)): string | null => {
  try {
    refuseEntry(of, { kind, accountId: 'acc_1', amount: money(amount), note: null, actor: 'local:0', atMs: 0 })
    return null
  } catch (error) {
    return Object(error).code
  }
}

test.each<[EntryKind, number, string | null]>([
  ['top_up', 1, null],
  ['top_up', 0, 'invalid_request'],
  ['top_up', -1, 'invalid_request'],
  ['adjustment', 0, 'invalid_request'],
  ['adjustment', -90, null],
  ['adjustment', -91, 'conflict'],
  ['refund', 1, null],
  ['refund', -1, 'invalid_request'],
  ['promo_grant', 1, null],
  ['promo_grant', -1, 'invalid_request'],
  ['promo_expiry', -1, 'invalid_request'],
  ['promo_expiry', 1, 'invalid_request'],
  ['top_up', Number.MAX_SAFE_INTEGER, 'invalid_request'],
])('%s of %d: %s', (kind, amount, code) => {
  expect(refusal(kind, amount)).toBe(code)
})

test('a credit that leaves an overdrawn account below zero is no debit', () => {
  expect(refusal('top_up', 1, account('prepaid', -100))).toBeNull()
})

test('what is being taken away makes room for what can be counted', () => {
  const account = { ...nearlyFull, outgoing: money(5) }
  expect(refusal('top_up', 15, account)).toBeNull()
  expect(refusal('top_up', 16, account)).toBe('invalid_request')
})

test('an unmetered account goes below zero, and is granted nothing', () => {
  const unmetered = account('unmetered', 0)
  expect(refusal('adjustment', -91, unmetered)).toBeNull()
  expect(refusal('promo_grant', 1, unmetered)).toBe('conflict')
})
