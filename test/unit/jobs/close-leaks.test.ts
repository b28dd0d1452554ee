import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { closeLeaks } from '../../../src/jobs/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble } from '../../support/house.ts'

async function leaking() {
  const world = createHouseDouble()
  const { ledger, accounts } = world.house
  const row = await accounts.rows.load(ACCOUNT)
  if (row === null) throw new Error('no account')
  ledger.open(row)
  const hold = (requestId: string): void => {
    ledger.hold({ requestId, accountId: ACCOUNT, keyId: 'key_test', amount: money(500), covers: [] })
  }
  const stop = closeLeaks({ ...world.house, traffic: world.traffic })
  return { world, hold, stop }
}

describe('closeLeaks', () => {
  test('voids a hold that no live request owns, and tells of it; one that is owned stays', async () => {
    const { world, hold, stop } = await leaking()
    world.traffic.add('req_alive', { stream: false, isReceiving: false, leave: { fire() {} } })
    hold('req_alive')
    hold('req_lost')
    world.clock.advance(29_999)
    expect(world.funds().held).toBe(money(1000))
    world.clock.advance(1)
    expect(world.funds().held).toBe(money(500))
    await settleMicrotasks()
    expect(world.store.tables.settlements.get('req_lost')).toMatchObject({ end: 'voided', reason: 'leak', charged: 0 })
    expect(world.takeErrors().map(({ event }) => event)).toEqual(['leak', 'hold_leak'])
    expect(world.house.ledger.stats().leaks).toBe(1)
    stop()
    world.traffic.end('req_alive', false)
  })

  test('is silent when there is none, and ends when it is told', async () => {
    const { world, hold, stop } = await leaking()
    world.clock.advance(60_000)
    expect(world.takeErrors()).toEqual([])
    stop()
    expect(world.clock.timers).toBe(0)
    hold('req_lost')
    world.clock.advance(60_000)
    expect(world.funds().held).toBe(money(500))
  })
})
