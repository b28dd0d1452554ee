import { describe, expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { json, type Part, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf } from '../support/wire-chat.ts'
import { askKept, BATCH_ASKED, batchBody, fileBody, fileForm, sendFile, strangerOf } from '../support/wire-kept.ts'

const PATH = '/v1/batches'

const begin = (gateway: TestGateway, body: object = BATCH_ASKED, key = gateway.key) =>
  rawRequest(gateway.origin, { path: PATH, headers: bearer({ key }), json: body })

/** A gateway whose account is not metered, and has a file. */
async function worldOf(...parts: readonly Part[]) {
  const provider = await scriptedProvider()
  provider.script(json(fileBody('file-1')), ...parts)
  const gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: null })
  await sendFile(gateway, fileForm('{}')).json()
  return {
    provider,
    gateway,
    ...endedInTurn(gateway, provider),
  }
}

test('a batch begins where its file is, and what it makes is the account’s', async () => {
  const done = batchBody('batch_1', { status: 'completed', output_file_id: 'file-out' })
  await using world = await worldOf(json(batchBody('batch_1')), json(done), status(200, 'out'), json(done))
  const { gateway, provider } = world
  expect(await begin(gateway).json()).toEqual(batchBody('batch_1'))
  expect(provider.requests.at(-1)?.json()).toEqual(BATCH_ASKED)
  expect(await errorOf(askKept(gateway, 'GET', '/v1/files/file-out/content'))).toMatchObject({ status: 404 })
  expect(await askKept(gateway, 'GET', '/v1/batches/batch_1').json()).toEqual(done)
  expect(await askKept(gateway, 'GET', '/v1/files/file-out/content').text()).toBe('out')
  expect(await askKept(gateway, 'POST', '/v1/batches/batch_1/cancel').json()).toEqual(done)
  expect(provider.requests.slice(1).map(({ method, target }) => `${method} ${target}`)).toEqual([
    'POST /v1/batches',
    'GET /v1/batches/batch_1',
    'GET /v1/files/file-out/content',
    'POST /v1/batches/batch_1/cancel',
  ])
})

test('a list asks again for what may have changed, and for that alone', async () => {
  const ended = batchBody('batch_1', { status: 'failed', error_file_id: 'file-err' })
  await using world = await worldOf(
    json(batchBody('batch_1')),
    json(batchBody('batch_2')),
    status(500, 'down'),
    json(ended),
    json(batchBody('batch_2', { status: 'in_progress' })),
  )
  const { gateway, provider } = world
  await begin(gateway).json()
  await begin(gateway).json()
  const statuses = async () =>
    Object(await askKept(gateway, 'GET', `${PATH}?order=asc&limit=1`).json())
      .data.map(Object)
      .map(({ status: said }: { status: string }) => said)
  expect(await statuses()).toEqual(['validating']) // its keeper does not answer
  expect(await statuses()).toEqual(['failed'])
  const before = provider.requests.length
  expect(await statuses()).toEqual(['failed'])
  expect(provider.requests.length).toBe(before)
  const whole = Object(await askKept(gateway, 'GET', PATH).json())
  expect(whole.data.map(({ id }: { id: string }) => id)).toEqual(['batch_2', 'batch_1'])
  expect(whole.data[0].status).toBe('in_progress')
})

describe('what nothing here could meter is refused', () => {
  test('an account that pays before', async () => {
    await using provider = await scriptedProvider()
    provider.script(json(fileBody('file-1')))
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    await sendFile(gateway, fileForm('{}')).json()
    expect(await errorOf(begin(gateway))).toMatchObject({ status: 403, code: 'not_metered' })
    expect(provider.requests.length).toBe(1)
  })

  test.each([
    ['a budget', { budget_day_usd: '1.00' }],
    ['a list of models', { models: ['m1'] }],
  ])('a key with %s', async (_name, terms) => {
    await using world = await worldOf(json(batchBody('batch_1')))
    const { gateway } = world
    const key = await gateway.admin('POST', '/keys', { account: 'test', name: 'bound', ...terms })
    expect(key.status).toBe(201)
    expect(await errorOf(begin(gateway, BATCH_ASKED, key.body.secret))).toMatchObject({
      status: 403,
      code: 'not_metered',
    })
  })
})

test('with an own credential an account that pays before has batches', async () => {
  await using provider = await scriptedProvider()
  provider.script(json(fileBody('file-1')), json(batchBody('batch_1')))
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const credential = { provider: 'mock', name: 'mine', secret: 'sk-own-canary-0123456789' }
  await gateway.admin('POST', `/accounts/${gateway.account}/credentials`, credential)
  await sendFile(gateway, fileForm('{}')).json()
  expect(await begin(gateway).json()).toMatchObject({ id: 'batch_1' })
  expect(provider.requests.map((request) => request.header('authorization'))).toEqual(
    Array(2).fill('Bearer sk-own-canary-0123456789'),
  )
})

test('another account has neither the file nor the batch', async () => {
  await using world = await worldOf(json(batchBody('batch_1')))
  const { gateway } = world
  await begin(gateway).json()
  const stranger = await strangerOf(gateway)
  expect(await errorOf(begin(gateway, BATCH_ASKED, stranger))).toMatchObject({ status: 400, param: 'input_file_id' })
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}/batch_1`, stranger))).toMatchObject({ status: 404 })
  expect(await askKept(gateway, 'GET', PATH, stranger).json()).toMatchObject({ data: [] })
})

test('what is missing is told before anything is sent', async () => {
  await using world = await worldOf()
  const { gateway, provider } = world
  for (const param of ['input_file_id', 'endpoint', 'completion_window'])
    expect(await errorOf(begin(gateway, { ...BATCH_ASKED, [param]: undefined }))).toMatchObject({ status: 400, param })
  expect(await errorOf(begin(gateway, []))).toMatchObject({ status: 400, code: 'invalid_json' })
  expect(provider.requests.length).toBe(1)
})
