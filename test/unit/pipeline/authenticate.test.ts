import { describe, expect, test } from 'bun:test'
import { authenticate, recognise } from '../../../src/pipeline/authenticate.ts'
import type { Recognition } from '../../../src/pipeline/handover.ts'
import { hashKey } from '../../../src/vault/index.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble, SECRET } from '../../support/house.ts'

const anywhere = (): string => '203.0.113.7'
const INVALID = expect.objectContaining({ code: 'invalid_api_key', status: 401 })

async function keyOf(recognition: Recognition): Promise<string> {
  return (await recognition.principal).key.id
}

/** Reads a secret once, so that it is in memory. */
const read = (world: HouseDouble, secret: string) => world.house.accounts.keys.load(hashKey(secret))

describe('recognise', () => {
  test('no secret: 401 with the way to send one', () => {
    const world = createHouseDouble()
    expect(() => recognise(world.house, [], anywhere)).toThrow(
      expect.objectContaining({ code: 'missing_api_key', status: 401 }),
    )
    try {
      recognise(world.house, [], anywhere)
    } catch (error) {
      expect(error).toMatchObject({ details: { headers: { 'www-authenticate': 'Bearer' } } })
    }
  })

  test('a key in memory is known at once, one that is not is read', async () => {
    const world = createHouseDouble()
    const first = recognise(world.house, [SECRET], anywhere)
    expect(first.kind).toBe('reading')
    expect(await keyOf(first)).toBe('key_test')
    expect(recognise(world.house, [SECRET], anywhere).kind).toBe('known')
    expect(world.store.readGate.begun).toBe(1)
  })

  test.each([[['bad', SECRET]], [[SECRET, 'bad']], [['bad', 'worse', SECRET]]])(
    'whichever secret is a key counts: %o',
    async (secrets) => {
      const world = createHouseDouble()
      expect(await keyOf(recognise(world.house, secrets, anywhere))).toBe('key_test')
      expect(recognise(world.house, secrets, anywhere).kind).toBe('known')
    },
  )

  test('an unknown secret is refused: after its read, and the next time before the body is read', async () => {
    const world = createHouseDouble()
    const recognition = recognise(world.house, ['bad'], anywhere)
    await expect(recognition.principal).rejects.toEqual(INVALID)
    expect(() => recognise(world.house, ['bad'], anywhere)).toThrow(INVALID)
    expect(world.store.readGate.begun).toBe(1)
  })

  test('a revoked key is refused', async () => {
    const world = createHouseDouble()
    await world.house.accounts.revokeKey('key_test')
    await expect(recognise(world.house, [SECRET], anywhere).principal).rejects.toEqual(INVALID)
    expect(() => recognise(world.house, [SECRET], anywhere)).toThrow(INVALID)
  })

  test('a secret that cannot be one is not read', () => {
    const world = createHouseDouble()
    expect(() => recognise(world.house, ['x'.repeat(513)], anywhere)).toThrow(INVALID)
    expect(world.store.readGate.begun).toBe(0)
  })

  test('a bad read nobody waits for is no unhandled rejection', async () => {
    const world = createHouseDouble()
    world.store.readGate.holdBack()
    recognise(world.house, [SECRET], anywhere)
    world.store.readGate.releaseOne(0, new Error('disk'))
    await Promise.resolve()
  })
})

describe('the secret for loopback alone', () => {
  const world = createHouseDouble({ settings: { loopbackOnlySecret: SECRET } })

  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('is good from %s', async (address) => {
    expect(await keyOf(recognise(world.house, [SECRET], () => address))).toBe('key_test')
  })

  test.each(['203.0.113.7', '::ffff:203.0.113.7', '1270.0.0.1', '10.127.0.1', '::11', null])(
    'is bad from %p, and not even read',
    (address) => {
      const { begun } = world.store.readGate
      expect(() => recognise(world.house, [SECRET], () => address)).toThrow(INVALID)
      expect(world.store.readGate.begun).toBe(begun)
    },
  )

  test('does not spoil another key beside it', async () => {
    world.store.seedKey({ id: 'key_other', accountId: ACCOUNT, hash: hashKey('other') })
    expect(await keyOf(recognise(world.house, [SECRET, 'other'], anywhere))).toBe('key_other')
  })
})

describe('authenticate', () => {
  test('answers what was recognised', async () => {
    const world = createHouseDouble()
    for (const kind of ['reading', 'known'] as const) {
      const recognition = recognise(world.house, [SECRET], anywhere)
      expect(recognition.kind).toBe(kind)
      expect((await authenticate(world.house, [SECRET], recognition, anywhere)).key.id).toBe('key_test')
    }
    expect(world.store.readGate.begun).toBe(1)
  })

  test.each(['known', 'reading'] as const)(
    'a key revoked while the body came is refused (%s at the head)',
    async (kind) => {
      const world = createHouseDouble()
      if (kind === 'known') await read(world, SECRET)
      const recognition = recognise(world.house, [SECRET], anywhere)
      expect(recognition.kind).toBe(kind)
      await recognition.principal // its row is here, the body is not
      await world.house.accounts.revokeKey('key_test')
      await expect(authenticate(world.house, [SECRET], recognition, anywhere)).rejects.toEqual(INVALID)
    },
  )

  test('a key revoked while it was read is refused', async () => {
    const world = createHouseDouble()
    world.store.readGate.holdBack()
    const recognition = recognise(world.house, [SECRET], anywhere)
    await world.house.accounts.revokeKey('key_test')
    world.store.readGate.letGo()
    await expect(authenticate(world.house, [SECRET], recognition, anywhere)).rejects.toEqual(INVALID)
  })
})

describe('what a key may do', () => {
  test('it is as unknown from its end on, in memory or not', async () => {
    const endMs = createHouseDouble().clock.wallMs() + 1000
    const world = createHouseDouble({ terms: { expiresAtMs: endMs } })
    expect(await keyOf(recognise(world.house, [SECRET], anywhere))).toBe('key_test')
    world.clock.advance(999)
    expect(recognise(world.house, [SECRET], anywhere).kind).toBe('known')
    world.clock.advance(1)
    expect(() => recognise(world.house, [SECRET], anywhere)).toThrow(INVALID)
    const cold = createHouseDouble({ terms: { expiresAtMs: endMs } })
    cold.clock.advance(1000)
    await expect(recognise(cold.house, [SECRET], anywhere).principal).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('a step of the clock ends it a minute later, when it may have been set right again', async () => {
    const endMs = createHouseDouble().clock.wallMs() + 3_600_000
    const world = createHouseDouble({ terms: { expiresAtMs: endMs } })
    expect(await keyOf(recognise(world.house, [SECRET], anywhere))).toBe('key_test')
    world.clock.stepWall(86_400_000)
    expect(recognise(world.house, [SECRET], anywhere).kind).toBe('known')
    world.clock.advance(60_000)
    expect(() => recognise(world.house, [SECRET], anywhere)).toThrow(INVALID)
  })

  test('from its addresses only: 403 from elsewhere, cold and warm', async () => {
    const refused = { code: 'address_not_permitted', status: 403 }
    const world = createHouseDouble({ terms: { addresses: ['203.0.113.0/24'] } })
    const elsewhere = (): string => '198.51.100.7'
    const recognition = recognise(world.house, [SECRET], elsewhere)
    await expect(authenticate(world.house, [SECRET], recognition, elsewhere)).rejects.toMatchObject(refused)
    expect(() => recognise(world.house, [SECRET], elsewhere)).toThrow(expect.objectContaining(refused))
    expect(() => recognise(world.house, [SECRET], () => null)).toThrow(expect.objectContaining(refused))
    expect(recognise(world.house, [SECRET], anywhere).kind).toBe('known')
  })

  test.each(['known', 'reading'] as const)(
    'what was changed of its addresses while the body came binds the request (%s at the head)',
    async (kind) => {
      const world = createHouseDouble()
      if (kind === 'known') await read(world, SECRET)
      const recognition = recognise(world.house, [SECRET], anywhere)
      expect(recognition.kind).toBe(kind)
      await recognition.principal
      await world.house.accounts.updateKey({ id: 'key_test', change: { addresses: ['10.0.0.0/8'] }, version: null })
      await expect((async () => authenticate(world.house, [SECRET], recognition, anywhere))()).rejects.toMatchObject({
        code: 'address_not_permitted',
      })
    },
  )
})
