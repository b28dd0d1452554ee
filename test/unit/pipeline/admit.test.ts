import { describe, expect, test } from 'bun:test'
import { NO_LIMITS, type Principal } from '../../../src/domain/index.ts'
import { admit } from '../../../src/pipeline/admit.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble } from '../../support/house.ts'

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

  test('a row in memory without live money may be old: it is read again', async () => {
    const world = createHouseDouble()
    await world.house.accounts.rows.load(ACCOUNT)
    world.store.seedAccount({ id: ACCOUNT, disabled: true }) // what the disk says by now
    await expect(admitted(world, principal())).rejects.toMatchObject({
      code: 'account_disabled',
    })
    expect(world.store.readGate.begun).toBe(2)
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
