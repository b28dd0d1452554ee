import { describe, expect, test } from 'bun:test'
import type { StoredName } from '../../../src/dialects/index.ts'
import type { Account, StoredThing } from '../../../src/domain/index.ts'
import { findKept } from '../../../src/pipeline/find-kept.ts'
import { ACCOUNT } from '../../support/house.ts'
import { secretOf, thingOf } from './kept-kit.ts'

const account = { id: ACCOUNT } as Account
const name = (id: string, kind: StoredName['kind'] = 'response'): StoredName => ({ kind, id, param: `p.${id}` })

function find(things: readonly StoredThing[], names: readonly StoredName[], hasOwn = false) {
  const stored = {
    find: async (accountId: string, id: string) =>
      things.find((thing) => accountId === ACCOUNT && thing.id === id) ?? null,
    keep: async () => {},
    forget: async () => {},
    list: async () => [],
  }
  return findKept({ stored }, { account, own: hasOwn ? [secretOf('cred_1', 'acme')] : [] }, names)
}

test('all that is named is kept at one place', async () => {
  const things = [thingOf({ id: 'a', credential: 'main' }), thingOf({ id: 'b', kind: 'item', credential: 'spare' })]
  expect(await find(things, [name('a'), name('b', 'item')])).toMatchObject({
    place: { backend: 'north' },
    foreign: null,
  })
})

test('what is read again is counted: of responses and their items, not of files', async () => {
  const told = { tokens: 7 }
  const things = [
    thingOf({ id: 'a', told }),
    thingOf({ id: 'b', kind: 'item', told }),
    thingOf({ id: 'c', told: null }),
  ]
  const file = thingOf({ id: 'd', kind: 'file', told })
  const names = [name('a'), name('b', 'item'), name('c'), name('d', 'file')]
  expect(await find([...things, file], names)).toMatchObject({ tokens: 14 })
  const batch = thingOf({ id: 'e', kind: 'batch', told })
  const silent = thingOf({ id: 'f', told: { tokens: 'many' } })
  expect(await find([batch, silent], [name('e'), name('f')])).toMatchObject({ tokens: 0 })
})

test('of a large file that the model reads its bytes are counted, as those of one that is sent along', async () => {
  const pdf = thingOf({ id: 'a', kind: 'file', told: { bytes: 5_000_000, filename: 'a.pdf' } })
  expect(await find([pdf], [name('a', 'file')])).toMatchObject({ tokens: 92_000 })
  const forTool: StoredName = { kind: 'file', id: 'a', param: 'tools[0].container.file_ids[0]' }
  expect(await find([pdf], [forTool])).toMatchObject({ tokens: 0 })
  for (const told of [{ bytes: 5_000_000, filename: 'a.PNG' }, { bytes: 3, filename: 'a.pdf' }, { bytes: '5000000' }]) {
    const other = thingOf({ id: 'a', kind: 'file', told })
    expect(await find([other], [name('a', 'file')])).toMatchObject({ tokens: 0 })
  }
})

describe('things of different places cannot go together', () => {
  const own = { isOwn: true, credential: 'cred_1' }
  test.each([
    ['backends', thingOf({ id: 'a' }), thingOf({ id: 'b', backend: 'south' })],
    ['owners', thingOf({ id: 'a' }), thingOf({ id: 'b', ...own })],
    ['own credentials', thingOf({ id: 'a', ...own }), thingOf({ id: 'b', ...own, credential: 'cred_2' })],
  ])('%s', (_name, one, other) =>
    expect(find([one, other], [name('a'), name('b')])).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'p.b' },
    }),
  )
})

describe('what is not known', () => {
  test.each([
    ['response', "Previous response with id 'a' not found.", 'previous_response_not_found'],
    ['item', "Item with id 'a' not found.", undefined],
    ['file', "File with id 'a' not found.", undefined],
    ['foreign', /^'p.a' names what was not made/, undefined],
  ] as const)('%s', async (kind, message, publicCode) => {
    const refused = find([], [name('a', kind)])
    const error = await refused.catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'not_stored', status: 400, details: { param: 'p.a' } })
    expect(error.message).toMatch(message)
    expect(error.details.publicCode).toBe(publicCode)
    expect(await find([], [name('a', kind)], true)).toEqual({ place: null, foreign: 'p.a', tokens: 0 })
  })
})

test('of several that are not known the first is named; what is foreign is not looked for here', async () => {
  expect(await find([], [name('a'), name('b')], true)).toMatchObject({ foreign: 'p.a' })
  expect(await find([thingOf({ id: 'a' })], [name('a', 'foreign')], true)).toMatchObject({
    place: null,
    foreign: 'p.a',
  })
})

test('names are bounded', async () => {
  const most = Array.from({ length: 1000 }, (_, at) => name(`a${at}`))
  expect(await find([], most, true)).toMatchObject({ place: null })
  const names = Array.from({ length: 1001 }, (_, at) => name(`a${at}`))
  await expect(find([], names, true)).rejects.toMatchObject({ code: 'invalid_request' })
})
