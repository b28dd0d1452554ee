import { expect, test } from 'bun:test'
import { freeOfCharge } from '../../../../../src/pipeline/route/rules/free-of-charge.ts'
import { offerAt, PLAIN, reasonOf } from '../wish-kit.ts'

const FREE = { ...PLAIN, variant: 'free' as const }

test('keeps for `:free` what can never cost anything', () => {
  expect(reasonOf(freeOfCharge, offerAt({}, { price: { input: 0, output: 0 } }), FREE)).toBeNull()
  for (const price of [{ input: 0, output: 1 }, { input: 0, output: 0, perRequest: 1 }, null])
    expect(reasonOf(freeOfCharge, offerAt({}, { price }), FREE)).toBe('the offer is not free')
})

test('keeps the same for a free router', () => {
  const { variant: _, ...plain } = FREE
  const wish = { ...plain, freeOnly: true as const }
  expect(reasonOf(freeOfCharge, offerAt({}, { price: { input: 0, output: 0 } }), wish)).toBeNull()
  expect(reasonOf(freeOfCharge, offerAt({}, { price: { input: 1, output: 0 } }), wish)).toBe('the offer is not free')
})

test('without the variant nothing is dropped', () => {
  expect(reasonOf(freeOfCharge, offerAt({}), PLAIN)).toBeNull()
})
