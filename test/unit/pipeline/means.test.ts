import { expect, test } from 'bun:test'
import { money, NO_LIMITS, ZERO } from '../../../src/domain/index.ts'
import { admit } from '../../../src/pipeline/admit.ts'
import { insufficient, meansOf, unaffordable } from '../../../src/pipeline/means.ts'
import { ACCOUNT, createHouseDouble } from '../../support/house.ts'

async function means(balanceUsd: string | null, day: number | null) {
  const world = createHouseDouble({ balanceUsd })
  const budgets = day === null ? null : { total: null, day: money(day), week: null, month: null }
  const named = { id: 'key_test', accountId: ACCOUNT, name: 'k', prefix: 'sk', revoked: false, version: 1 }
  return meansOf(world.house, await admit(world.house, { key: { ...named, ...NO_LIMITS, budgets } }))
}

test('the smaller of what the account has and the budget leaves', async () => {
  expect<unknown>(await means('1.00', null)).toEqual({ available: 1_000_000_000, budget: null })
  expect<unknown>(await means('1.00', 500)).toMatchObject({ available: 500, budget: { name: 'day', left: 500 } })
  expect<unknown>(await means('0.0000001', 500)).toEqual({ available: 100, budget: null })
  expect<unknown>(await means(null, 500)).toMatchObject({ available: 500, budget: { name: 'day' } })
  expect<unknown>(await means(null, null)).toEqual({ available: null, budget: null })
})

test('in words: of the account, of a budget that begins anew, of one that never does', () => {
  const account = { available: money(1_000_000), budget: null }
  expect(unaffordable(account, money(2_000_000))).toBe('needs $0.002, available $0.001')
  expect(insufficient(account, money(2_000_000))).toMatchObject({
    code: 'insufficient_credits',
    message: 'Insufficient credits for this request. It may cost up to $0.002; $0.001 is available.',
  })
  const day = { available: ZERO, budget: { name: 'day', left: ZERO, endsAtMs: 1_800_057_600_000 } } as const
  expect(unaffordable(day, money(2_000_000))).toBe("needs $0.002, the key's day budget leaves $0.00")
  expect(insufficient(day, money(2_000_000)).message).toBe(
    'The day budget of this key does not allow this request. It may cost up to $0.002; $0.00 is left. ' +
      'It begins anew at 2027-01-16T00:00:00.000Z.',
  )
  const total = { available: ZERO, budget: { name: 'total', left: ZERO, endsAtMs: null } } as const
  expect(insufficient(total, null)).toMatchObject({
    code: 'key_budget_exceeded',
    message: 'The total budget of this key does not allow this request.',
    details: { extra: { budget: 'total', resets_at: null } },
  })
})
