import { expect, test } from 'bun:test'
import { LogHistogram } from '../../../src/health/log-histogram.ts'

test('quantiles are those of all slices together', () => {
  const histogram = new LogHistogram(3)
  for (let value = 1; value <= 100; value++) histogram.add(value % 3, value * 10)
  expect(histogram.total).toBe(100)
  expect(histogram.quantiles([0.5])[0]).toBeWithin(477, 524)
  expect(histogram.quantiles([0.99])[0]).toBeWithin(945, 1036)
  expect(histogram.quantiles([0])[0]).toBeWithin(9, 11)
})

test('a slice that is over is not counted any more', () => {
  const histogram = new LogHistogram(2)
  histogram.add(0, 10)
  histogram.add(1, 1000)
  histogram.clear(0)
  expect(histogram.total).toBe(1)
  expect(histogram.quantiles([0.01])[0]).toBeWithin(950, 1050)
})

test('several are one', () => {
  const [one, other] = [new LogHistogram(1), new LogHistogram(1)]
  for (let count = 0; count < 3; count++) one.add(0, 10)
  other.add(0, 1000)
  const both = one.with([other])
  expect(both.total).toBe(4)
  expect(both.quantiles([0.75])[0]).toBeLessThan(11)
  expect(both.quantiles([0.76])[0]).toBeGreaterThan(900)
  expect(one.with([])).toBe(one)
})

test('a slice comes back from its text; what is no part of one is left out', () => {
  const histogram = new LogHistogram(2)
  histogram.add(1, 10)
  histogram.add(1, 10)
  histogram.add(1, 1000)
  const text = histogram.textOf(1)
  expect(text).toBe('26:2 79:1')
  const back = new LogHistogram(2)
  back.putText(0, `${text} 136:1 -1:4 7:x 12`)
  expect(back.total).toBe(3)
  expect(back.textOf(0)).toBe(text)
  expect(histogram.textOf(0)).toBe('')
})

test('a bucket that is full stays full', () => {
  const histogram = new LogHistogram(1)
  histogram.putText(0, '5:65535')
  histogram.putText(0, '5:99999')
  expect({ total: histogram.total, text: histogram.textOf(0) }).toEqual({ total: 65_535, text: '5:65535' })
  histogram.clear(0)
  expect(histogram.total).toBe(0)
})

test('a value is told within 5 %; what lies outside of the scale falls into its ends', () => {
  const told = (value: number): number => {
    const histogram = new LogHistogram(1)
    histogram.add(0, value)
    return histogram.quantiles([0.5])[0] ?? 0
  }
  for (let value = 1.1; value < 2 ** 17; value *= 1.0137)
    expect(Math.abs(told(value) - value) / value).toBeLessThan(0.05)
  expect(new Set([-1, 0, 0.5, 1, Number.NaN].map(told))).toEqual(new Set([told(1)]))
  expect(new Set([2 ** 17, 1e12, Number.POSITIVE_INFINITY].map(told))).toEqual(new Set([told(2 ** 17)]))
})
