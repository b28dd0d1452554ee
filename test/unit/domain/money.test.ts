import { describe, expect, test } from 'bun:test'
import { add, formatUsd, larger, money, negate, parseUsd, smaller, subtract, ZERO } from '../../../src/domain/index.ts'

describe('money', () => {
  test('is a safe integer, or a bug', () => {
    expect<number>(money(-5)).toBe(-5)
    for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
      expect(() => money(wrong)).toThrow('not an amount of money')
  })

  test('is added and subtracted without leaving the safe integers unseen', () => {
    expect(add(money(2), money(3))).toBe(money(5))
    expect(subtract(money(2), money(3))).toBe(money(-1))
    const most = money(Number.MAX_SAFE_INTEGER)
    expect(() => add(most, money(1))).toThrow('not an amount of money')
    expect(() => subtract(negate(most), money(1))).toThrow('not an amount of money')
  })

  test('nothing has no sign', () => {
    expect(Object.is(negate(ZERO), 0)).toBe(true)
    expect(Object.is(parseUsd('-0'), -0)).toBe(false)
  })

  test('is compared', () => {
    expect(smaller(money(1), money(2))).toBe(money(1))
    expect(larger(money(1), money(2))).toBe(money(2))
  })
})

describe('dollars', () => {
  const PAIRS = [
    ['0.00', 0],
    ['5.00', 5_000_000_000],
    ['0.00000735', 7_350],
    ['0.000000001', 1],
    ['-0.10', -100_000_000],
    ['9007199.254740991', Number.MAX_SAFE_INTEGER],
  ] as const

  for (const [text, nanoDollars] of PAIRS)
    test(`${text} is ${nanoDollars} nano-dollars, both ways`, () => {
      expect<number | null>(parseUsd(text)).toBe(nanoDollars)
      expect(formatUsd(money(nanoDollars))).toBe(text)
    })

  test('are read with any number of decimals up to 9', () => {
    expect(parseUsd('5')).toBe(money(5_000_000_000))
    expect(parseUsd('5.0')).toBe(money(5_000_000_000))
    expect(parseUsd('0005.000000000')).toBe(money(5_000_000_000))
  })

  const NOT_DOLLARS = [
    '',
    '-',
    '.',
    '.5',
    '5.',
    '1e3',
    '+1',
    ' 1',
    '1 ',
    '1,5',
    '0.0000000001',
    '$1',
    'NaN',
    '٣',
    '--1',
  ]
  for (const text of [...NOT_DOLLARS, '9007199.254740992', '1234567890'])
    test(`"${text}" is no amount`, () => {
      expect(parseUsd(text)).toBeNull()
    })

  test('of a sum beyond safe integers are written exactly', () => {
    expect(formatUsd(123_456_789_012_345_678_901n)).toBe('123456789012.345678901')
    expect(formatUsd(-1n)).toBe('-0.000000001')
  })
})
