import { expect, test } from 'bun:test'
import { ZERO } from '../../../../src/domain/index.ts'
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

test('200: nothing is asked of a backend, and nothing is held', async () => {
  await using world = adminWorld(MIXED)
  await world.call('POST', '/route', { model: MODEL, account: ACCOUNT })
  expect(world.house.ledger.funds(ACCOUNT).held).toBe(ZERO)
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

const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

test('200: of a request all that it wishes counts', async () => {
  await using world = adminWorld({ backends: { north: {}, south: { price: { input: 1, output: 1 } } } })
  const plan = async (body: object, headers: object = {}) =>
    (await world.call('POST', '/route', { body: { ...BODY, ...body }, headers })).body
  expect(names((await plan({})).candidates)).toEqual(['north', 'south'])
  const sorted = await plan({ provider: { sort: 'price' } })
  expect(names(sorted.candidates)).toEqual(['south', 'north'])
  expect(sorted.candidates).toMatchObject([
    { behind_by: null, ranks: [{ rule: 'by-price' }, { rule: 'catalogue-order' }] },
    { behind_by: 'by-price', model: MODEL },
  ])
  expect(await plan({}, { 'x-anyrouter-provider': 'south' })).toMatchObject({
    candidates: [{ backend: 'south' }],
    skips: [{ backend: 'north', rule: 'providers' }],
    refusal: null,
  })
  expect(await plan({ model: 'anyrouter/auto' })).toMatchObject({ router: 'anyrouter/auto', model: MODEL })
  expect(await plan({ provider: { only: ['nobody'] } })).toMatchObject({
    candidates: [],
    refusal: { status: 404, code: 'no_matching_backend' },
  })
})

test('200: whoever cannot be paid is passed over, and the refusal is told', async () => {
  await using world = adminWorld({ balanceUsd: '0.00' })
  const { body } = await world.call('POST', '/route', { body: BODY, account: ACCOUNT })
  expect(body).toMatchObject({
    candidates: [],
    skips: [{ backend: 'north', rule: 'unaffordable' }],
    refusal: { status: 402, code: 'insufficient_credits' },
  })
  expect(world.house.ledger.funds(ACCOUNT).held).toBe(ZERO)
})

test('400: a body that no operation takes, an operation that there is not, a header that cannot be', async () => {
  await using world = adminWorld()
  const ask = (question: object) => world.call('POST', '/route', question)
  expect(await ask({ body: { model: 'm' } })).toMatchObject(refusal(400, 'invalid_request', 'messages'))
  expect(await ask({ body: BODY, operation: 'chat' })).toMatchObject(refusal(400, 'invalid_request', 'operation'))
  expect(await ask({ body: BODY, headers: { 'x y': 'z' } })).toMatchObject(refusal(400, 'invalid_request', 'headers'))
  const headers = { 'x-anyrouter-provider': 'north' }
  expect(await ask({ model: 'acme/small', headers })).toMatchObject(refusal(400, 'invalid_request', 'headers'))
  const operation = 'embeddings'
  expect(await ask({ model: 'acme/small', operation })).toMatchObject(refusal(400, 'invalid_request', 'operation'))
  expect(await ask({ body: BODY, model: 'acme/gone' })).toMatchObject(refusal(404, 'model_not_found', 'model'))
})
