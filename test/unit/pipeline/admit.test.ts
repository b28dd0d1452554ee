import { describe, expect, test } from 'bun:test'
import { money, NO_LIMITS, type Principal } from '../../../src/domain/index.ts'
import { admit, admitRequest } from '../../../src/pipeline/admit.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble } from '../../support/house.ts'
import { callAt } from './support.ts'

const principal = (accountId = ACCOUNT) => ({
  key: { id: 'key_test', accountId, name: 'k', prefix: 'sk', ...NO_LIMITS, revoked: false, version: 1 },
})

/** Always a promise. */
const admitted = async (world: HouseDouble, who: Principal) => admit(world.house, who)

describe('admit', () => {
  test('reads a cold account once and opens its live money; a warm one costs no read and no turn', async () => {
    const world = createHouseDouble()
    const context = await admit(world.house, principal())
    expect(context).toMatchObject({ account: { id: ACCOUNT, kind: 'prepaid' }, key: { id: 'key_test' } })
    expect(world.funds()).toMatchObject({ balance: 1_000_000_000, held: 0 })
    expect(admit(world.house, principal())).not.toBeInstanceOf(Promise)
    expect(world.store.readGate.begun).toBe(1)
  })

  test('many at once share one read', async () => {
    const world = createHouseDouble()
    world.store.readGate.holdBack()
    const all = Promise.all([1, 2, 3].map(async () => admit(world.house, principal())))
    expect(world.store.readGate.waiting).toEqual([`account ${ACCOUNT}`])
    world.store.readGate.letGo()
    expect(await all).toHaveLength(3)
  })

  test('whoever reads a row opens its live money; an account that leaves memory takes its row along', async () => {
    const world = createHouseDouble({ kept: { accounts: 1 } })
    world.store.seedAccount({ id: 'acc_other' })
    await world.house.accounts.rows.load(ACCOUNT)
    expect(world.house.ledger.isOpen(ACCOUNT)).toBe(true)
    await world.house.accounts.rows.load('acc_other')
    expect(world.house.ledger.isOpen(ACCOUNT)).toBe(false)
    expect(world.house.accounts.rows.peek(ACCOUNT)).toBeUndefined()
  })

  test('a disabled account is refused, cold and warm', async () => {
    const world = createHouseDouble({ disabled: true })
    await expect(admitted(world, principal())).rejects.toMatchObject({
      code: 'account_disabled',
      status: 403,
    })
    expect(() => admit(world.house, principal())).toThrow(expect.objectContaining({ code: 'account_disabled' }))
  })

  test('a key of an account that does not exist is a bug', async () => {
    const world = createHouseDouble()
    await expect(admitted(world, principal('acc_none'))).rejects.toMatchObject({ name: 'Bug' })
  })
})

describe('a key with budgets and limits', () => {
  const terms = {
    budgets: { total: money(1000), day: null, week: null, month: null },
    limits: { requestsPerMinute: 2, tokensPerMinute: null, concurrency: null },
  }
  const bounded = () => ({ key: { ...principal().key, ...terms } })

  test('cold: what it used is read in the same wave as the account; warm: nothing is read', async () => {
    const world = createHouseDouble({ terms })
    world.store.readGate.holdBack()
    const answer = admitted(world, bounded())
    await settleMicrotasks()
    expect(world.store.readGate.waiting.toSorted()).toEqual([`account ${ACCOUNT}`, 'spend key_test', 'window key_test'])
    world.store.readGate.letGo()
    await answer
    expect(world.house.ledger.budgetLeft('key_test', terms.budgets)).toMatchObject({ left: money(1000) })
    expect(admit(world.house, bounded())).not.toBeInstanceOf(Promise)
    expect(world.store.readGate.begun).toBe(3)
  })

  test('a key without any reads its account alone', async () => {
    const world = createHouseDouble()
    await admitted(world, principal())
    expect(world.store.readGate.begun).toBe(1)
  })

  test('a request is counted, or refused with where the key stands', async () => {
    const world = createHouseDouble({ terms })
    const { key } = await admitted(world, bounded())
    const calls = [1, 2, 3].map(() => callAt(world).call)
    for (const call of calls.slice(0, 2)) admitRequest(world.house, call, key)
    expect(calls.map(({ admission }) => admission?.rates().requests?.remaining)).toEqual([0, 0, undefined])
    const [third = callAt(world).call] = calls.slice(2)
    expect(() => admitRequest(world.house, third, key)).toThrow(
      expect.objectContaining({ code: 'rate_limit_exceeded', status: 429 }),
    )
    expect(third.admission).toBeNull()
    for (const { admission } of calls) admission?.end()
  })

  test('a key without limits costs nothing and has no admission', () => {
    const world = createHouseDouble()
    const { call } = callAt(world)
    admitRequest(world.house, call, principal().key)
    expect(call.admission).toBeNull()
  })
})
