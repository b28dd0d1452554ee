import { expect, test } from 'bun:test'
import { fractionOf } from '../../../../src/pipeline/route/fraction-of.ts'

test('spreads texts that differ in their ends evenly over (0, 1]', () => {
  const tenths = new Array<number>(10).fill(0)
  for (let at = 0; at < 10_000; at++) {
    const fraction = fractionOf(`req_${at} north/m`)
    expect(fraction > 0 && fraction <= 1).toBe(true)
    const tenth = Math.min(9, Math.floor(fraction * 10))
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) expect(count).toBeWithin(900, 1100)
  expect(fractionOf('')).toBe(fractionOf(''))
})

test.each([
  ['', 2_872_998_924],
  ['a', 444_641_716],
  ['foobar', 202_221_277],
  ['req_7 acme/m', 2_856_024_615],
])('FNV-1a of 32 bits, mixed as MurmurHash3 does: %j', (text, of32Bits) => {
  expect(fractionOf(text)).toBe(of32Bits / 2 ** 32)
})
