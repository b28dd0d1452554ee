import { expect, test } from 'bun:test'
import { BUCKETS, bucketOf, middleOf } from '../../../src/health/log-buckets.ts'

test('the middle of its bucket is within 5 % of a value', () => {
  for (let value = 1.1; value < 2 ** 17; value *= 1.0137) {
    const middle = middleOf(bucketOf(value))
    expect(Math.abs(middle - value) / value).toBeLessThan(0.05)
  }
})

test('what lies outside of the scale falls into its ends', () => {
  expect([-1, 0, 0.5, 1, Number.NaN].map(bucketOf)).toEqual([0, 0, 0, 0, 0])
  expect([2 ** 17, 1e12, Number.POSITIVE_INFINITY].map(bucketOf)).toEqual([BUCKETS - 1, BUCKETS - 1, BUCKETS - 1])
  expect(bucketOf(2)).toBe(8)
})
