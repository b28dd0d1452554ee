import { expect, test } from 'bun:test'
import { money, NO_USAGE, type Settlement } from '../../../src/domain/index.ts'
import { settlementFigures } from '../../../src/ledger/settlement-figures.ts'

const settlement: Settlement = {
  requestId: 'req_1',
  end: 'settled',
  reason: 'completed',
  usage: { ...NO_USAGE, input: 3 },
  usageSource: 'reported',
  covered: {
    offer: 'o',
    backend: 'b',
    price: { input: 1_500_000, output: 0 },
    cost: { input: 400_000, output: 0 },
    promptUnits: 3,
  },
}

const figuresOf = (held: number, available: number | null) =>
  settlementFigures(settlement, { held: money(held), available: available === null ? null : money(available) })

test('cost and expense are each rounded up once', () => {
  const figures = { cost: money(5), charged: money(5), overrun: money(0), expense: money(2) }
  expect(figuresOf(5, 0)).toEqual(figures)
})

test('at most hold + available is paid, and never less than nothing', () => {
  expect(figuresOf(1, 2)).toMatchObject({ charged: money(3), overrun: money(2) })
  expect(figuresOf(1, -9)).toMatchObject({ charged: money(0), overrun: money(5) })
  expect(figuresOf(1, Number.MAX_SAFE_INTEGER)).toMatchObject({ charged: money(5), overrun: money(0) })
})

test('without a bound all of it is paid', () => {
  expect(figuresOf(0, null)).toMatchObject({ charged: money(5), overrun: money(0) })
})

test('a void costs nothing, whatever usage it names', () => {
  const nothing = { cost: money(0), charged: money(0), overrun: money(0), expense: money(0) }
  const backing = { held: money(9), available: money(9) }
  expect(settlementFigures({ ...settlement, end: 'voided' }, backing)).toEqual(nothing)
})
