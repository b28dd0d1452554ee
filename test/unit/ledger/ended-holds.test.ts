import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { createEndedHolds } from '../../../src/ledger/ended-holds.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { amounts, openWorld, settled, voided } from './ledger-kit.ts'

const END = {
  cost: money(1),
  charged: money(1),
  overrun: money(0),
  balance: money(9),
  durable: Promise.resolve(),
}

describe('the ledger', () => {
  test('forgets ends beyond their bound, and then charges nobody', () => {
    const { hold, ledger, funds } = openWorld()
    for (let at = 0; at <= 1000; at++) {
      hold(`req_${at}`, 0)
      ledger.settle(voided(`req_${at}`))
    }
    expect(() => ledger.settle(settled('req_0', 50))).toThrow('no hold of req_0')
    expect(ledger.settle(settled('req_900', 50))).toMatchObject({ charged: money(0) })
    expect<unknown>(funds()).toEqual(amounts(100, 0))
  })

  test('answers a request whose hold was never written however late it ends, until it is no more', async () => {
    const { hold, ledger, funds, double } = openWorld()
    double.disk.fail()
    hold('req_lost', 10)
    await settleMicrotasks()
    double.disk.heal()
    for (let at = 0; at <= 1000; at++) {
      hold(`req_${at}`, 0)
      ledger.settle(voided(`req_${at}`))
    }
    expect(ledger.settle(settled('req_lost', 50))).toMatchObject({ cost: money(0), charged: money(0) })
    expect(ledger.endLeaks((requestId) => requestId === 'req_lost')).toBe(0)
    expect(ledger.settle(settled('req_lost', 50))).toMatchObject({ charged: money(0) })
    expect(ledger.endLeaks(() => false)).toBe(0)
    expect(() => ledger.settle(settled('req_lost', 50))).toThrow('no hold of req_lost')
    expect<unknown>(funds()).toEqual(amounts(100, 0))
  })
})

test('an end is remembered while 127 others end', () => {
  const ended = createEndedHolds()
  ended.add('first', END)
  for (let at = 0; at < 127; at++) ended.add(`later ${at}`, END)
  expect(ended.get('first')).toBe(END)
  for (let at = 0; at < 256; at++) ended.add(`last ${at}`, END)
  expect(ended.get('first')).toBeUndefined()
})
