import { expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { amounts, openWorld, settled, voided } from './ledger-kit.ts'

test('forgets ends beyond its bound, and then charges nobody', async () => {
  const { hold, ledger, funds } = openWorld()
  for (let at = 0; at <= 20_000; at++) {
    hold(`req_${at}`, 0)
    ledger.settle(voided(`req_${at}`))
    if (at % 1000 === 0) await settleMicrotasks()
  }
  expect(() => ledger.settle(settled('req_0', 50))).toThrow('no hold of req_0')
  expect(ledger.settle(settled('req_1', 50))).toMatchObject({ charged: money(0) })
  expect<unknown>(funds()).toEqual(amounts(100, 0))
})
