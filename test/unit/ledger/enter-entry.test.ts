import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { amounts, entry, openWorld, settled } from './ledger-kit.ts'

describe('enter', () => {
  test('a credit can be spent once it is on disk, and not before', async () => {
    const { ledger, double, hold, funds } = openWorld()
    double.disk.holdBack()
    const entering = ledger.enter(entry(50))
    double.disk.commit()
    await settleMicrotasks()
    expect<unknown>(funds()).toEqual(amounts(100, 0))
    expect(hold('req_1', 101)).toBeNull()
    double.disk.acknowledge()
    expect(await entering).toMatchObject({ seq: 2, balanceAfter: money(150) })
    expect<unknown>(funds()).toEqual(amounts(150, 0))
  })

  test('a debit is out of reach at once, and gone once it is on disk', async () => {
    const { ledger, double, hold, funds } = openWorld()
    double.disk.holdBack()
    const entering = ledger.enter(entry(-70))
    expect<unknown>(funds()).toEqual(amounts(100, 70))
    expect(hold('req_1', 31)).toBeNull()
    await expect(ledger.enter(entry(-31))).rejects.toMatchObject({ code: 'conflict' })
    double.disk.letGo()
    await entering
    expect<unknown>(funds()).toEqual(amounts(30, 0))
  })

  test('a debit that is not available is refused with both amounts, and nothing is written', async () => {
    const { ledger, double, hold, funds } = openWorld()
    hold('req_1', 40)
    const refused = { code: 'conflict', message: expect.stringContaining('$0.00000006 available') }
    await expect(ledger.enter(entry(-61))).rejects.toMatchObject(refused)
    await settleMicrotasks()
    expect(double.tables.entries).toHaveLength(1)
    expect<unknown>(funds()).toEqual(amounts(100, 40))
  })

  test('an unmetered account may be debited below zero', async () => {
    const { ledger, funds } = openWorld({ kind: 'unmetered', balance: 10 })
    await ledger.enter(entry(-30))
    expect<unknown>(funds()).toEqual(amounts(-20, 0))
  })

  test('what cannot be written changes nothing', async () => {
    const { ledger, double, funds } = openWorld()
    double.disk.fail()
    await expect(ledger.enter(entry(50))).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(ledger.enter(entry(-50))).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect<unknown>(funds()).toEqual(amounts(100, 0))
  })

  test('amounts without sense are refused', async () => {
    const { ledger, double } = openWorld()
    const invalid = { code: 'invalid_request', details: { param: 'amount' } }
    await expect(ledger.enter({ ...entry(1), amount: money(0) })).rejects.toMatchObject(invalid)
    await expect(ledger.enter({ ...entry(1), amount: money(-1) })).rejects.toMatchObject(invalid)
    await expect(ledger.enter({ ...entry(-1), amount: money(0) })).rejects.toMatchObject(invalid)
    await expect(ledger.enter(entry(Number.MAX_SAFE_INTEGER))).rejects.toMatchObject(invalid)
    expect(double.tables.entries).toHaveLength(1)
  })

  test('its change note says what it was of, and when it ends', async () => {
    const { ledger, double, hold } = openWorld()
    const requestId = 'req_1'
    hold(requestId, 5)
    await ledger.settle(settled(requestId, 5)).durable
    await ledger.enter({ ...entry(5), kind: 'refund', requestId })
    await ledger.enter({ ...entry(5), kind: 'promo_grant', expiresAtMs: 9000 })
    await ledger.enter(entry(5))
    const amount = { amount_usd: '0.000000005', amount_nano: 5, note: null }
    expect(double.tables.audit.map(({ action, details }) => [action, details])).toEqual([
      ['credits.refund', { ...amount, request_id: requestId }],
      ['credits.promo_grant', { ...amount, expires_at_ms: 9000 }],
      ['credits.top_up', amount],
    ])
  })

  test('two credits that together cannot be counted: the second is refused while the first is being written', async () => {
    const { ledger, funds } = openWorld()
    const half = 2 ** 52
    const first = ledger.enter(entry(half))
    await expect(ledger.enter(entry(half))).rejects.toMatchObject({ code: 'invalid_request' })
    await first
    expect<number>(funds().balance).toBe(half + 100)
    await ledger.enter(entry(-half))
    await ledger.enter(entry(half)) // what has been written is not counted a second time
    expect<number>(funds().balance).toBe(half + 100)
  })

  test('of an account that is not open is a bug: a row read meanwhile would lose it', async () => {
    const { ledger } = openWorld()
    await expect(ledger.enter({ ...entry(1), accountId: 'acc_9' })).rejects.toThrow('acc_9 is not open')
  })
})

describe('endLots', () => {
  const lotOf = async ({ ledger, clock, double }: ReturnType<typeof openWorld>, amount: number, inMs: number) => {
    const expiresAtMs = clock.wallMs() + inMs
    const { seq } = await ledger.enter({ ...entry(amount), kind: 'promo_grant', expiresAtMs })
    return async () =>
      (await double.reader.lotsDue(expiresAtMs, { limit: 9, after: null })).filter((lot) => lot.seq === seq)
  }

  test('what ends is out of reach at once, and gone once it is on disk', async () => {
    const world = openWorld()
    const due = await lotOf(world, 50, 10)
    const lots = await due()
    world.double.disk.holdBack()
    const ending = world.ledger.endLots(lots)
    expect<unknown>(world.funds()).toEqual(amounts(150, 50))
    world.double.disk.letGo()
    expect(await ending).toMatchObject([{ kind: 'promo_expiry', amount: -50, lot: lots[0]?.seq }])
    expect<unknown>(world.funds()).toEqual(amounts(100, 0))
    expect(await world.ledger.endLots(lots)).toEqual([])
  })

  test('what a hold from before the end keeps is ended after it', async () => {
    const world = openWorld({ balance: 0 })
    const due = await lotOf(world, 50, 10)
    world.hold('req_1', 30)
    world.clock.advance(10)
    expect(await world.ledger.endLots(await due())).toMatchObject([{ amount: -20 }])
    world.ledger.settle(settled('req_1', 25))
    await settleMicrotasks()
    expect(await world.ledger.endLots(await due())).toMatchObject([{ amount: -5 }])
    expect<unknown>(world.funds()).toEqual(amounts(0, 0))
  })

  test('a hold from after the end keeps nothing of it, but what it holds stays there', async () => {
    const world = openWorld({ balance: 0 })
    const due = await lotOf(world, 50, 10)
    world.clock.advance(10)
    world.hold('req_1', 30)
    expect(await world.ledger.endLots(await due())).toMatchObject([{ amount: -20 }])
    expect<unknown>(world.funds()).toEqual(amounts(30, 30))
  })

  test('what cannot be written stays', async () => {
    const world = openWorld()
    const lots = await (await lotOf(world, 50, 10))()
    world.double.disk.fail()
    await expect(world.ledger.endLots(lots)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect<unknown>(world.funds()).toEqual(amounts(150, 0))
  })
})
