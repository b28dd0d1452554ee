import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/index.ts'
import { enter } from '../../../src/pipeline/enter.ts'
import { beginWork } from '../../../src/pipeline/work.ts'
import { type ArrivalSpec, asking } from '../../support/ask.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble } from '../../support/house.ts'

function entering({ house }: HouseDouble, spec: ArrivalSpec) {
  const asked = asking(spec)
  const work = beginWork(house, asked.arrival)
  const entered = enter(work, asked.arrival).finally(() => work.over(null))
  return { ...asked, work, entered }
}

test('who comes in is known, with the body and the limit on silence lifted', async () => {
  await using world = createHouseDouble()
  const { entered, work, idleLimit } = entering(world, { body: 'abc' })
  const { context, body } = await entered
  expect(context.account.id).toBe(ACCOUNT)
  expect(Buffer.from(body).toString()).toBe('abc')
  expect(work.call).toMatchObject({ accountId: ACCOUNT, keyId: 'key_test', explain: null })
  expect(idleLimit).toEqual(['lifted'])
})

test('who shows no key, or a bad one, does not', async () => {
  await using world = createHouseDouble()
  for (const headers of [null, { authorization: 'Bearer sk-ar-v1-nobody' }]) {
    const { entered } = entering(world, { headers })
    const error = await entered.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ status: 401 })
  }
})
