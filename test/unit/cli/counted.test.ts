import { expect, test } from 'bun:test'
import { counted } from '../../../src/cli/counted.ts'
import { dollars } from '../../../src/cli/dollars.ts'
import { priceText } from '../../../src/cli/price-text.ts'

test('one is one, all else is many', () => {
  expect([0, 1, 2].map((count) => counted(count, 'stream'))).toEqual(['0 streams', '1 stream', '2 streams'])
  expect(counted(2, 'entry', 'entries')).toBe('2 entries')
})

test('the sign of an amount stands before the dollar', () => {
  expect([dollars('5.00'), dollars('-0.000001')]).toEqual(['$5.00', '-$0.000001'])
})

test('a price per million, in and out', () => {
  expect(priceText({ input: 150_000_000, output: 600_000_000 })).toBe('$0.15 / $0.60')
  expect(priceText({ input: 0, output: 1 })).toBe('$0.00 / $0.000000001')
  expect(priceText(null)).toBe('none')
})
