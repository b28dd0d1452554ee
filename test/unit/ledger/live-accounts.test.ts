import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { amounts, entry, openWorld, settled } from './ledger-kit.ts'

describe('eviction', () => {
  test('never of an account with an open hold, nor before its last posting is on disk', async () => {
    const { ledger, double, hold, open, evicted } = openWorld({ accountsOpenMax: 2 })
    double.disk.holdBack()
    hold('req_1', 10)
    for (let at = 2; at < 20; at++) open(`acc_${at}`)
    expect(evicted).not.toContain('acc_1')
    ledger.settle(settled('req_1', 10))
    for (let at = 20; at < 40; at++) open(`acc_${at}`)
    expect(evicted).not.toContain('acc_1')
    double.disk.letGo()
    await settleMicrotasks()
    for (let at = 40; at < 60; at++) open(`acc_${at}`)
    expect(evicted).toContain('acc_1')
    expect(ledger.isOpen('acc_1')).toBe(false)
  })

  test('never while an entry is being written', async () => {
    const { ledger, double, open, evicted, funds } = openWorld({ accountsOpenMax: 2 })
    double.disk.holdBack()
    const entering = ledger.enter(entry(50))
    for (let at = 2; at < 20; at++) open(`acc_${at}`)
    expect(evicted).not.toContain('acc_1')
    double.disk.letGo()
    await entering
    expect<unknown>(funds()).toEqual(amounts(150, 0))
    for (let at = 20; at < 40; at++) open(`acc_${at}`)
    expect(evicted).toContain('acc_1')
  })

  test('never while the end of a lot is being written', async () => {
    const { ledger, double, open, evicted } = openWorld({ accountsOpenMax: 2 })
    const { seq } = await ledger.enter({ ...entry(50), kind: 'promo_grant', expiresAtMs: 10 })
    double.disk.holdBack()
    const ending = ledger.endLots([
      { seq, accountId: 'acc_1', amount: money(50), remaining: money(50), expiresAtMs: 10 },
    ])
    for (let at = 2; at < 20; at++) open(`acc_${at}`)
    expect(evicted).not.toContain('acc_1')
    double.disk.letGo()
    await ending
    for (let at = 20; at < 40; at++) open(`acc_${at}`)
    expect(evicted).toContain('acc_1')
  })

  test('keeps the number of idle accounts at its bound, and first those that were used since', () => {
    const { ledger, open, evicted } = openWorld({ accountsOpenMax: 4 })
    for (let at = 2; at <= 50; at++) {
      open(`acc_${at}`)
      expect(ledger.isOpen('acc_1')).toBe(true)
    }
    expect(ledger.stats().accountsOpen).toBeLessThanOrEqual(5)
    expect(evicted).not.toContain('acc_1')
    expect(new Set(evicted).size).toBe(evicted.length)
  })
})
