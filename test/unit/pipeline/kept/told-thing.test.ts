import { describe, expect, test } from 'bun:test'
import { keepTold, objectIn, toldAgain, toldThing } from '../../../../src/pipeline/kept/told-thing.ts'
import { ACCOUNT, createHouseDouble } from '../../../support/house.ts'
import { thingOf } from '../kept-kit.ts'
import { callAt } from '../support.ts'

const PLACE = { backend: 'north', credential: 'main', isOwn: false }

describe('what a provider says of a file', () => {
  const world = createHouseDouble()
  const told = (fields: object, call: object = {}) =>
    toldThing({ house: world.house, call: { accountId: ACCOUNT, keepsNothing: false, ...call } }, 'file', PLACE, {
      ...fields,
    })

  test('is kept with it, and its end', () => {
    const said = { id: 'file-1', expires_at: 7 }
    expect(told(said)).toMatchObject({ ...PLACE, id: 'file-1', kind: 'file', told: said, untilMs: 7000, model: null })
  })

  test('is not kept where nothing may be', () => {
    expect(told({ id: 'file-1' }, { keepsNothing: true })).toMatchObject({ told: null, untilMs: null })
  })

  test.each([[{}], [{ id: 7 }], [{ id: '' }], [{ id: 'x'.repeat(257) }]])('%p is none', (said) =>
    expect(told(said)).toBeNull(),
  )

  test('nor is nobody’s', () => expect(told({ id: 'a' }, { accountId: null })).toBeNull())
})

test('the files of a batch are where it is', () => {
  const batch = thingOf({ id: 'batch_1', kind: 'batch', told: {} })
  const told = { id: 'another', output_file_id: 'a', error_file_id: null }
  const file = { ...batch, id: 'a', kind: 'file', told: null } as const
  expect(toldAgain({ keepsNothing: false }, batch, told)).toEqual([{ ...batch, told }, file])
  expect(toldAgain({ keepsNothing: true }, batch, told)).toEqual([{ ...batch, told: null }, file])
  expect(toldAgain({ keepsNothing: false }, thingOf(), told)).toEqual([thingOf({ told })])
})

test('an object in bytes', () => {
  expect(objectIn(Buffer.from('{"a":1}'))).toEqual({ a: 1 })
  expect(objectIn(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 })
  for (const text of ['[]', '7', '{', '']) expect(objectIn(Buffer.from(text))).toBeNull()
})

test('a disk that fails costs nobody the answer', async () => {
  await using world = createHouseDouble()
  world.store.disk.fail()
  await keepTold(world.house, callAt(world).call, [thingOf()])
  expect(world.logs.map(({ event }) => event)).toEqual(['stored_unwritten'])
})
