import { expect, test } from 'bun:test'
import { withCost } from '../../../src/dialects/with-cost.ts'
import { money, NO_USAGE } from '../../../src/domain/index.ts'

test('the figures as they stand, and the cost to the last digit', () => {
  const cost = ({ output }: { readonly output: number }) => money(output)
  const usage = { ...NO_USAGE, output: Number.MAX_SAFE_INTEGER }
  expect(withCost({ tokens: 1, note: null }, usage, { cost, isByok: true })).toBe(
    '{"tokens":1,"note":null,"is_byok":true,"cost":9007199.254740991}',
  )
})

test('nothing of a provider’s own money, and what it told is not changed', () => {
  const told = { cost: 9, cost_details: { upstream_inference_cost: 1 }, is_byok: true }
  expect(withCost(told, NO_USAGE, { cost: () => money(0), isByok: false })).toBe('{"is_byok":false,"cost":0.00}')
  expect(told.cost).toBe(9)
})
