import { expect, test } from 'bun:test'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { adminWorld, refusal } from './support.ts'

const MIXED = { backends: { off: { enabled: false }, north: {}, gift: { price: null }, south: {} } }
const names = (rows: readonly { backend: string }[]) => rows.map(({ backend }) => backend)

test('200: candidates in order, and every skip with its rule and reason', async () => {
  await using world = adminWorld(MIXED)
  const { status, body } = await world.call('POST', '/route', { model: 'm', account: ACCOUNT })
  expect(status).toBe(200)
  expect(body.model).toBe(MODEL)
  expect(names(body.candidates)).toEqual(['north', 'south'])
  expect(names(body.skips)).toEqual(['off', 'gift'])
  for (const skip of body.skips) {
    expect(skip).toMatchObject({
      offer: `${skip.backend}/${MODEL}`,
      rule: expect.any(String),
      reason: expect.any(String),
    })
    expect(skip.rule).not.toBe('')
    expect(skip.reason).not.toBe('')
  }
  expect(world.traffic.settled).toBe(0)
})

test('200: nothing is asked of a backend, and no account is opened', async () => {
  await using world = adminWorld(MIXED)
  await world.call('POST', '/route', { model: MODEL, account: ACCOUNT })
  expect(world.house.ledger.isOpen(ACCOUNT)).toBe(false)
  expect(world.agent('north').exchanges.length).toBe(0)
})

test('200: the same question has the same answer', async () => {
  await using world = adminWorld(MIXED)
  const ask = () => world.call('POST', '/route', { model: MODEL, key: 'key_test' })
  const [one, other] = [await ask(), await ask()]
  expect(one.body).toEqual(other.body)
})

test('200: who asks makes a difference: without anybody it is an unmetered account', async () => {
  await using world = adminWorld(MIXED)
  const { body } = await world.call('POST', '/route', { model: MODEL })
  expect(names(body.candidates)).toEqual(['north', 'gift', 'south'])
})

test('200: a plan that is empty says of every offer why: a key that may not use the model', async () => {
  await using world = adminWorld({ models: ['acme/other'] })
  const { body } = await world.call('POST', '/route', { model: MODEL, key: 'key_test' })
  expect(body).toMatchObject({ candidates: [], skips: [{ backend: 'north', rule: 'permitted' }] })
  const account = await world.call('POST', '/route', { model: MODEL, account: ACCOUNT })
  expect(names(account.body.candidates)).toEqual(['north'])
})

test('404: an unknown model with near names, account or key', async () => {
  await using world = adminWorld()
  const model = await world.call('POST', '/route', { model: 'acme/n' })
  expect(model).toMatchObject(refusal(404, 'model_not_found', 'model'))
  expect(model.body.error.message).toContain(MODEL)
  expect(await world.call('POST', '/route', { model: MODEL, account: 'nobody' })).toMatchObject(
    refusal(404, 'not_found', 'account'),
  )
  expect(await world.call('POST', '/route', { model: MODEL, key: 'key_none' })).toMatchObject(
    refusal(404, 'not_found', 'key'),
  )
})

test('400: no model, an unknown field, and a key together with an account', async () => {
  await using world = adminWorld()
  expect(await world.call('POST', '/route', {})).toMatchObject(refusal(400, 'invalid_request', 'model'))
  expect(await world.call('POST', '/route', { model: MODEL, messages: [] })).toMatchObject(
    refusal(400, 'invalid_request', 'messages'),
  )
  expect(await world.call('POST', '/route', { model: MODEL, key: 'key_test', account: ACCOUNT })).toMatchObject(
    refusal(400, 'invalid_request', 'key'),
  )
})
