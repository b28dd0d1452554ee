import { expect, test } from 'bun:test'
import { createStoredThings } from '../../../src/accounts/index.ts'
import { createStoreDouble } from '../../support/store-double.ts'
import { thingOf } from '../pipeline/kept-kit.ts'

test('what is kept is known at once, by its account alone, and on disk when it resolves', async () => {
  const store = createStoreDouble()
  const things = createStoredThings(store)
  const kept = things.keep([thingOf()])
  expect(store.tables.stored.size).toBe(0)
  expect(await things.find('acc_test', 'resp_1')).toEqual(thingOf())
  expect(await things.find('acc_other', 'resp_1')).toBeNull()
  await kept
  expect([...store.tables.stored.values()]).toEqual([thingOf()])
})

test('what was used last is in memory, the rest is read', async () => {
  const store = createStoreDouble()
  const things = createStoredThings({ ...store, sizeMax: 2 })
  await things.keep(['a', 'b'].map((id) => thingOf({ id })))
  await things.find('acc_test', 'a')
  await things.keep([thingOf({ id: 'c' })])
  const before = store.readGate.begun
  await things.find('acc_test', 'a')
  expect(store.readGate.begun).toBe(before)
  expect(await things.find('acc_test', 'b')).toMatchObject({ id: 'b' })
  expect(store.readGate.begun).toBe(before + 1)
})

test('what is forgotten is not found again', async () => {
  const store = createStoreDouble()
  const things = createStoredThings(store)
  await things.keep([thingOf(), thingOf({ id: 'resp_2' })])
  await things.forget('acc_test', ['resp_1'])
  expect(await things.find('acc_test', 'resp_1')).toBeNull()
  const query = { accountId: 'acc_test', kind: 'response', isNewestFirst: true, limit: 10, after: null } as const
  expect((await things.list(query)).map(({ id }) => id)).toEqual(['resp_2'])
})

test('what is forgotten is not found while the disk has it still', async () => {
  const store = createStoreDouble()
  const things = createStoredThings(store)
  await things.keep([thingOf()])
  store.disk.holdBack()
  const forgotten = things.forget('acc_test', ['resp_1'])
  expect(await things.find('acc_test', 'resp_1')).toBeNull()
  store.disk.letGo()
  await forgotten
  expect(await things.find('acc_test', 'resp_1')).toBeNull()
})

test('a disk that fails rejects, and it is known until the next start', async () => {
  const store = createStoreDouble()
  store.disk.fail()
  const things = createStoredThings(store)
  await expect(things.keep([thingOf()])).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(await things.find('acc_test', 'resp_1')).toEqual(thingOf())
})
