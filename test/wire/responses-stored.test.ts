import { describe, expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { executable } from '../support/run-gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { balanceOf, errorOf } from '../support/wire-chat.ts'
import { askKept, strangerOf } from '../support/wire-kept.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'
import { MESSAGE_ITEM, responseBody, responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const PATH = '/v1/responses'

/** Two backends of one model, of which the first made a response. */
async function twoBackends() {
  const [one, other] = [await scriptedProvider(), await scriptedProvider()]
  one.script(responseJson())
  other.script(responseJson({ id: 'resp_other' }))
  const gateway = await startGateway({ offers: { m1: [{ provider: one }, { provider: other }] } })
  expect(await operate(gateway, PATH, { input: 'hi' }).json()).toMatchObject({ id: 'resp_1' })
  return {
    one,
    other,
    gateway,
    ...endedInTurn(gateway, one, other),
  }
}

test('what is stored is asked of the backend that made it, with its credential, and costs nothing', async () => {
  await using world = await twoBackends()
  const { gateway, one, other } = world
  const paid = await balanceOf(gateway)
  one.script(
    responseJson(),
    json({ object: 'list', data: [], has_more: false }),
    responseJson({ status: 'cancelled' }),
    json({ id: 'resp_1', object: 'response', deleted: true }),
  )
  expect(await askKept(gateway, 'GET', `${PATH}/resp_1?include[]=a`).json()).toEqual(responseBody({ model: 'm1' }))
  expect(await askKept(gateway, 'GET', `${PATH}/resp_1/input_items?limit=2`).json()).toMatchObject({ object: 'list' })
  expect(await askKept(gateway, 'POST', `${PATH}/resp_1/cancel`).json()).toMatchObject({
    status: 'cancelled',
    model: 'm1',
  })
  expect(await askKept(gateway, 'DELETE', `${PATH}/resp_1`).json()).toMatchObject({ deleted: true })
  expect(one.requests.slice(1).map(({ method, target }) => `${method} ${target}`)).toEqual([
    'GET /v1/responses/resp_1?include[]=a',
    'GET /v1/responses/resp_1/input_items?limit=2',
    'POST /v1/responses/resp_1/cancel',
    'DELETE /v1/responses/resp_1',
  ])
  expect(one.requests.map((request) => request.header('authorization'))).toEqual(
    Array(5).fill('Bearer sk-provider-canary-0123456789'),
  )
  expect(other.requests.length).toBe(0)
  expect(await balanceOf(gateway)).toBe(paid)
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}/resp_1`))).toMatchObject({ status: 404, code: 'not_stored' })
})

test('another account finds nothing of it, and cannot go on from it', async () => {
  await using world = await twoBackends()
  const { gateway, one } = world
  const stranger = await strangerOf(gateway)
  for (const [method, below] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['GET', '/input_items'],
  ] as const)
    expect(await errorOf(askKept(gateway, method, `${PATH}/resp_1${below}`, stranger))).toMatchObject({
      status: 404,
      code: 'not_stored',
      message: "Response with id 'resp_1' not found.",
    })
  const body = JSON.stringify({ model: 'm1', input: 'hi', previous_response_id: 'resp_1' })
  const headers = { ...bearer({ key: stranger }), 'content-type': 'application/json' }
  expect(await errorOf(rawRequest(gateway.origin, { path: PATH, headers, body }))).toMatchObject({
    status: 400,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  })
  expect(one.requests.length).toBe(1)
})

test('what a response goes on from is held for: it is read, and billed, again', async () => {
  const usage = { input_tokens: 200_000, output_tokens: 10, total_tokens: 200_010 }
  await using provider = await scriptedProvider()
  provider.script(responseJson({ usage }), responseJson())
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '1.00' })
  await operate(gateway, PATH, { input: 'hi', max_output_tokens: 10 }).json() // $0.80 of it
  const goesOn = { input: 'hi', previous_response_id: 'resp_1', max_output_tokens: 10 }
  const refused = await errorOf(operate(gateway, PATH, goesOn))
  expect(refused).toMatchObject({ status: 402, message: expect.stringMatching(/up to \$0\.80/) })
  expect(await operate(gateway, PATH, { input: 'hi', max_output_tokens: 10 }).status()).toBe(200)
  expect(provider.requests.length).toBe(2)
})

test('whatever a request names, another account may not, and its own may', async () => {
  const code = { type: 'code_interpreter_call', id: 'ci_1', code: 'x', container_id: 'cntr_1' }
  const output = [MESSAGE_ITEM, { type: 'image_generation_call', id: 'ig_1', result: 'AA' }, code]
  await using world = await operationWorld({}, responseJson({ output }), responseJson())
  const { gateway, provider } = world
  await operate(gateway, PATH, { input: 'hi' }).json()
  const headers = { ...bearer({ key: await strangerOf(gateway) }), 'content-type': 'application/json' }
  for (const [param, fields] of NAMING) {
    const body = JSON.stringify({ model: 'm1', input: 'hi', ...fields })
    expect(await errorOf(rawRequest(gateway.origin, { path: PATH, headers, body }))).toMatchObject({
      status: 400,
      code: 'not_stored',
      param,
    })
  }
  const input = [{ type: 'image_generation_call', id: 'ig_1' }]
  const tools = [{ type: 'code_interpreter', container: 'cntr_1' }]
  expect(await operate(gateway, PATH, { input, tools }).json()).toMatchObject({ id: 'resp_1' })
  expect(provider.requests.length).toBe(2)
})

/** Where requests may name what a provider keeps, and with what. */
const NAMING: readonly (readonly [string, object])[] = [
  ['input[0].id', { input: [{ type: 'item_reference', status: null, id: 'msg_1' }] }],
  ['input[0].id', { input: [{ type: 'image_generation_call', id: 'ig_1' }] }],
  ['input[0].id', { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }],
  ['input[0].container_id', { input: [{ type: 'code_interpreter_call', code: 'x', container_id: 'cntr_1' }] }],
  ['input[0].output.file_id', { input: [{ type: 'computer_call_output', output: { file_id: 'file-1' } }] }],
  ['tools[0].container', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }],
  ['tools[0].container.file_ids[0]', { tools: [{ type: 'code_interpreter', container: { file_ids: ['file-1'] } }] }],
  ['tools[0].environment.container_id', { tools: [{ type: 'shell', environment: { container_id: 'cntr_1' } }] }],
  ['tools[0].input_image_mask.file_id', { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f' } }] }],
  ['prompt.variables.a.file_id', { prompt: { id: 'p', variables: { a: { type: 'input_file', file_id: 'file-1' } } } }],
]

describe('what goes on from a stored response goes where that is kept', () => {
  test.each([
    ['a response', { previous_response_id: 'resp_other' }],
    ['an item', { input: [{ type: 'item_reference', id: 'msg_other' }] }],
    ['an item without its type', { input: [{ id: 'msg_other' }] }],
  ])('%s', async (_name, fields) => {
    await using world = await twoBackends()
    const { gateway, one, other } = world
    one.script(status(500, 'down'))
    other.script(responseJson({ id: 'resp_other', output: [{ ...MESSAGE_ITEM, id: 'msg_other' }] }))
    await operate(gateway, PATH, { input: 'hi' }).json()
    one.script(responseJson({ id: 'resp_3' }))
    const seen = [one.requests.length, other.requests.length]
    await operate(gateway, PATH, { input: 'hi', ...fields }).json()
    expect([one.requests.length, other.requests.length]).toEqual([Number(seen[0]), Number(seen[1]) + 1])
  })
})

test('a stream is stored too: known by its id while it runs, by its items when it has ended', async () => {
  await using world = await operationWorld({}, responseSse(responseEvents(['Hello'])), responseJson())
  const { gateway } = world
  await operate(gateway, PATH, { input: 'hi', stream: true }).text()
  expect(await askKept(gateway, 'GET', `${PATH}/resp_1`).json()).toMatchObject({ id: 'resp_1', model: 'm1' })
  const answer = await operate(gateway, PATH, { input: [{ type: 'item_reference', id: 'msg_1' }] }).json()
  expect(answer).toMatchObject({ id: 'resp_1' })
})

test('a stream that was whole for its caller is found after the gateway was killed at once', async () => {
  await using world = await operationWorld({}, responseSse(responseEvents(['Hello'])), responseJson())
  const { gateway } = world
  const answer = operate(gateway, PATH, { input: 'hi', stream: true })
  await answer.until('"type":"response.completed"')
  if (executable !== null) await gateway.killAndRestart()
  expect(await askKept(gateway, 'GET', `${PATH}/resp_1`).json()).toMatchObject({ id: 'resp_1' })
})
