import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { runListing } from '../../../src/pipeline/run-listing.ts'
import { hashKey } from '../../../src/vault/index.ts'
import { type ArrivalSpec, ask, asking, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, type HouseDouble, SECRET } from '../../support/house.ts'
import { coldHouse, fleet, sentBy, TERMS } from './cold-kit.ts'
import { seedThings, thingOf } from './kept-kit.ts'
import { errorOf } from './support.ts'

const READS_MAX = 6
const JOIN_MS = 1500
const DEADLINE_MS = 5000

const list = (world: HouseDouble, headers: ArrivalSpec['headers'] = {}) => {
  const { arrival } = asking({ body: null, headers })
  const answer = () => Buffer.from('list')
  return runListing(world.house, { ...arrival, operation: 'models.list' }, { isPublic: false, answer })
}

const BAD = 'sk-ar-v1-nobody'
const bad = { authorization: `Bearer ${BAD}` }

describe('a cold request', () => {
  test('is sent after exactly two releases, with 16 candidates over 30 backends and every kind of bound', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const { answer } = ask(world)
    await settleMicrotasks()
    expect(readGate.waiting).toEqual([`key ${hashKey(SECRET)}`])
    expect(readGate.release()).toBe(1)
    await settleMicrotasks()
    expect(readGate.waiting.toSorted()).toEqual([`account ${ACCOUNT}`, 'spend key_test', 'window key_test'])
    expect(sentBy(world)).toBe(0)
    readGate.release()
    expect((await answer).status).toBe(200)
    expect(sentBy(world)).toBe(1)
    expect(readGate.waiting).toEqual([])
    expect(readGate.begun).toBeLessThanOrEqual(READS_MAX)
  })

  test('that names what a provider keeps looks all of it up in one wave more', async () => {
    await using world = coldHouse({ backends: { north: {} } })
    const { readGate } = world.store
    const ids = ['file-a', 'file-b', 'file-c']
    seedThings(world, ...ids.map((id) => thingOf({ id, kind: 'file' })))
    const content = ids.map((id) => ({ type: 'file', file: { file_id: id } }))
    const { answer } = ask(world, { messages: [{ role: 'user', content }] })
    await settleMicrotasks()
    readGate.release()
    await settleMicrotasks()
    readGate.release()
    await settleMicrotasks()
    expect(readGate.waiting).toEqual(ids.map((id) => `stored ${id}`))
    readGate.release()
    expect((await answer).status).toBe(200)
  })

  test.each([1, 16, 30, 200])('reads as often with %i backends as with one', async (count) => {
    await using world = coldHouse({ backends: fleet(count) })
    world.store.readGate.letGo()
    expect((await ask(world).answer).status).toBe(200)
    expect(world.store.readGate.begun).toBe(4)
    expect((await ask(world).answer).status).toBe(200)
    expect(world.store.readGate.begun).toBe(4)
  })

  test('fifty at once read each key once, and none is sent before or after the others', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const answers = Array.from({ length: 50 }, () => ask(world).answer)
    await settleMicrotasks()
    expect(readGate.release()).toBe(1)
    await settleMicrotasks()
    expect(readGate.release()).toBe(3)
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses).toEqual(Array(50).fill(200))
    expect(readGate.begun).toBe(4)
  })

  test('that comes with a bad key beside its own waits for its own alone', async () => {
    await using world = coldHouse()
    const { answer } = ask(world, {}, { headers: { 'x-api-key': BAD } })
    await settleMicrotasks()
    expect(world.store.readGate.waiting).toEqual([`key ${hashKey(SECRET)}`, `key ${hashKey(BAD)}`])
    world.store.readGate.releaseOne(0)
    await settleMicrotasks()
    while (world.store.readGate.waiting.length > 1) world.store.readGate.releaseOne(1)
    expect((await answer).status).toBe(200)
  })

  test('after its key and its account have left memory, it is two waves again', async () => {
    await using world = coldHouse({ kept: { accounts: 1, keys: 1 } })
    const { store } = world
    const { readGate } = store
    store.seedAccount({ id: 'acc_other', balance: money(1_000_000_000) })
    store.seedKey({ id: 'key_other', accountId: 'acc_other', hash: hashKey('sk-other'), ...TERMS })
    const rounds = [SECRET, 'sk-other', SECRET, 'sk-other', SECRET]
    for (const [round, secret] of rounds.entries()) {
      const { answer } = ask(world, {}, { headers: { authorization: `Bearer ${secret}` } })
      await settleMicrotasks()
      expect(readGate.release()).toBe(1)
      await settleMicrotasks()
      expect(readGate.release()).toBeGreaterThanOrEqual(2) // limits of a key are kept for a minute
      expect((await answer).status).toBe(200)
      expect(sentBy(world)).toBe(round + 1)
      await settleMicrotasks()
    }
    expect(readGate.begun).toBeLessThanOrEqual(rounds.length * 4)
  })
})

const faces = [
  ['chat', (world: HouseDouble, headers: ArrivalSpec['headers'] = {}) => ask(world, {}, { headers }).answer],
  ['the list of models', list],
] as const

describe.each(faces)('a read that never settles, on %s', (_, call) => {
  test('begun by a bad key: 401 for it as soon as another read tells, one join limit for those behind, none for others', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const first = call(world, bad)
    await settleMicrotasks()
    expect(readGate.waiting).toEqual([`key ${hashKey(BAD)}`]) // it is never delivered
    const good = call(world)
    await settleMicrotasks()
    readGate.releaseOne(1)
    await settleMicrotasks()
    while (readGate.waiting.length > 1) readGate.releaseOne(1)
    expect((await good).status).toBe(200)
    const later = [call(world, bad), call(world, bad)]
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(1)
    world.clock.advance(JOIN_MS)
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(2)
    readGate.releaseOne(1)
    for (const answer of [first, ...later]) expect((await answer).status).toBe(401)
    expect((await call(world, bad)).status).toBe(401)
    expect(readGate.waiting.length).toBe(1)
  })

  test('begun by a key that turns out bad in between: later requests with it wait one join limit, and never again', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const first = call(world)
    await settleMicrotasks()
    const second = call(world)
    world.clock.advance(JOIN_MS)
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(2)
    const third = call(world) // joins the second's read
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(2)
    readGate.releaseOne(1)
    await settleMicrotasks()
    while (readGate.waiting.length > 1) readGate.releaseOne(1)
    for (const answer of [first, second, third]) expect((await answer).status).toBe(200)
  })

  test('of the account: the same', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const first = call(world)
    await settleMicrotasks()
    readGate.release()
    await settleMicrotasks()
    const at = readGate.waiting.indexOf(`account ${ACCOUNT}`)
    for (const other of ['spend key_test', 'window key_test']) readGate.releaseOne(readGate.waiting.indexOf(other))
    expect(at).toBeGreaterThanOrEqual(0)
    const second = call(world)
    await settleMicrotasks()
    expect(readGate.waiting).toEqual([`account ${ACCOUNT}`])
    world.clock.advance(JOIN_MS)
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(2)
    readGate.releaseOne(1)
    for (const answer of [first, second]) expect((await answer).status).toBe(200)
  })
})

describe.each(faces)('a store that tells nothing, on %s', (_, call) => {
  test('503 at the deadline, for all who wait', async () => {
    await using world = coldHouse()
    const answers = [call(world), call(world), call(world)]
    await settleMicrotasks()
    for (let ms = 0; ms < DEADLINE_MS; ms += 500) {
      world.clock.advance(500)
      await settleMicrotasks()
    }
    for (const answer of answers)
      expect(await errorOf(await answer)).toMatchObject({ status: 503, error: { code: 'storage_unavailable' } })
    world.takeErrors()
    world.store.readGate.letGo()
    expect((await call(world)).status).toBe(200)
  })

  test('a read that fails is that of its request alone: the next one reads again', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const failing = call(world)
    await settleMicrotasks()
    readGate.releaseOne(0, new Error('disk'))
    expect((await failing).status).toBeGreaterThanOrEqual(500)
    world.takeErrors()
    readGate.letGo()
    expect((await call(world)).status).toBe(200)
  })
})

describe('a caller who leaves while it is read', () => {
  test('poisons nothing: the read goes on, and the next request is served with it', async () => {
    await using world = coldHouse()
    const { readGate } = world.store
    const { body } = upload()
    const leaving = ask(world, body)
    await settleMicrotasks()
    leaving.leave()
    expect((await leaving.answer).status).toBe(499)
    expect(readGate.waiting).toEqual([`key ${hashKey(SECRET)}`])
    readGate.release()
    await settleMicrotasks()
    expect(readGate.waiting.length).toBe(3) // warming is bound to no request
    readGate.release()
    await settleMicrotasks()
    const { begun } = readGate
    expect((await ask(world).answer).status).toBe(200)
    expect(readGate.begun).toBe(begun)
  })
})
