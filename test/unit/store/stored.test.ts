import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { StoredThing } from '../../../src/domain/index.ts'
import { fundedAccount, type StoreKit, storeKit } from './store-kit.ts'

let kit: StoreKit
let accountId: string
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
  accountId = (await kit.store.reader.accounts({ limit: 1, after: null }))[0]?.account.id ?? ''
})
afterEach(() => kit.end())

const thing = (id: string, fields: Partial<StoredThing> = {}): StoredThing => ({
  accountId,
  id,
  kind: 'file',
  backend: 'north',
  credential: 'main',
  isOwn: false,
  model: null,
  told: { id, filename: 'é' },
  createdAtMs: 5,
  untilMs: null,
  ...fields,
})

test('things are kept, replaced, found by account and id, and forgotten; a restart changes nothing', async () => {
  const { writer } = kit.store
  const own = thing('b', { kind: 'response', isOwn: true, credential: null, model: 'm', told: null, untilMs: 9 })
  expect(await writer.keepStored([thing('a'), own])).toBe(2)
  await writer.keepStored([thing('a', { backend: 'south' })])
  const { reads, writer: again } = await kit.reopen()
  expect(await reads.storedThing(accountId, 'a')).toEqual(thing('a', { backend: 'south' }))
  expect(await reads.storedThing(accountId, 'b')).toEqual(own)
  expect(await reads.storedThing('acc_other', 'a')).toBeNull()
  expect(await again.forgetStored(accountId, ['a', 'x'])).toBe(1)
  expect(await reads.storedThing(accountId, 'a')).toBeNull()
})

test('lists are by kind and age, in pages, in either order; of one moment by id', async () => {
  const { writer, reader } = kit.store
  const ages = Object.entries({ a: 3, b: 1, c: 3, d: 2 })
  await writer.keepStored([
    ...ages.map(([id, createdAtMs]) => thing(id, { createdAtMs })),
    thing('x', { kind: 'batch' }),
  ])
  const ids = async (isNewestFirst: boolean, after: string | null, limit = 10) =>
    (await reader.storedThings({ accountId, kind: 'file', isNewestFirst, limit, after })).map(({ id }) => id)
  expect(await ids(true, null)).toEqual(['c', 'a', 'd', 'b'])
  expect(await ids(true, 'a')).toEqual(['d', 'b'])
  expect(await ids(false, 'b', 2)).toEqual(['d', 'a'])
  expect(await ids(false, 'nobody')).toEqual([])
})

test('what has ended is pruned in steps, what has no end stays', async () => {
  const { writer, reads } = kit.store
  await writer.keepStored(Array.from({ length: 600 }, (_, at) => thing(`i${at}`, { kind: 'item', untilMs: 10 })))
  await writer.keepStored([thing('a'), thing('b', { untilMs: 20 })])
  expect([await writer.pruneStored(11), await writer.pruneStored(11), await writer.pruneStored(11)]).toEqual([
    500, 100, 0,
  ])
  expect(await reads.storedThing(accountId, 'a')).not.toBeNull()
  expect(await reads.storedThing(accountId, 'b')).not.toBeNull()
})

test('what the table refuses changes nothing', async () => {
  const { writer, reads } = kit.store
  const refused = writer.keepStored([thing('a'), thing('b', { accountId: 'acc_nobody' })])
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await reads.storedThing(accountId, 'a')).toBeNull()
})
