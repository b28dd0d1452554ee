import { describe, expect, test } from 'bun:test'
import { recognise } from '../../../src/pipeline/authenticate.ts'
import { warm } from '../../../src/pipeline/warm.ts'
import { hashKey } from '../../../src/vault/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble, SECRET } from '../../support/house.ts'

const recognised = (world: ReturnType<typeof createHouseDouble>, secret = SECRET) =>
  recognise(world.house, [secret], () => null)

describe('warm', () => {
  test('reads the account as soon as the key is read, and opens its money', async () => {
    await using world = createHouseDouble()
    world.store.readGate.holdBack()
    warm(world.house, recognised(world))
    expect(world.store.readGate.waiting).toEqual([`key ${hashKey(SECRET)}`])
    world.store.readGate.release()
    await settleMicrotasks()
    expect(world.store.readGate.waiting).toEqual([`account ${ACCOUNT}`])
    world.store.readGate.release()
    await settleMicrotasks()
    expect(world.house.ledger.isOpen(ACCOUNT)).toBe(true)
  })

  test('reads nothing that is warm', async () => {
    await using world = createHouseDouble()
    warm(world.house, recognised(world))
    await settleMicrotasks()
    const { begun } = world.store.readGate
    warm(world.house, recognised(world))
    await settleMicrotasks()
    expect(world.store.readGate.begun).toBe(begun)
  })

  test('a bad key warms nothing', async () => {
    await using world = createHouseDouble()
    warm(world.house, recognised(world, 'bad'))
    await settleMicrotasks()
    expect(world.store.readGate.begun).toBe(1)
  })

  test('a read that fails is told to nobody', async () => {
    await using world = createHouseDouble()
    await world.house.accounts.keys.load(hashKey(SECRET))
    world.store.readGate.holdBack()
    warm(world.house, recognised(world))
    world.store.readGate.releaseOne(0, new Error('disk'))
    await settleMicrotasks()
    expect(world.house.ledger.isOpen(ACCOUNT)).toBe(false)
  })
})
