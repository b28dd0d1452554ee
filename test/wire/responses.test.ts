import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld, typedEvent } from '../support/wire-operations.ts'
import {
  eventsIn,
  MESSAGE_ITEM,
  RESPONSE_USAGE,
  responseBody,
  responseEvents,
  responseJson,
  responseSse,
} from '../support/wire-responses.ts'

const PATH = '/v1/responses'
const PAID = 1_000_000_000 - (6 * 4000 + 4 * 1000 + 5 * 10_000)

test('the body goes on byte for byte but for the model, the answer comes as it is, and the tokens are paid', async () => {
  await using world = await operationWorld({}, responseJson())
  const body = '{"input":"hi" ,"model":"m1","store":false,"x":9007199254740993,"max_output_tokens":50}'
  const answer = operate(world.gateway, PATH, body)
  expect(await answer.json()).toEqual(responseBody({ model: 'm1' }))
  const request = await world.provider.arrived()
  expect(request.target).toBe(PATH)
  expect(request.body.toString()).toBe(body.replace('"m1"', '"provider-m1"'))
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { input: 6, cached_input: 4, output: 3, reasoning: 2 },
    usage_source: 'reported',
  })
  expect(await balanceOf(world.gateway)).toBe(PAID)
})

test('a stream goes on event by event, names and numbers and all, and nothing follows its end', async () => {
  const events = responseEvents(['Hel', 'lo'])
  await using world = await operationWorld({}, responseSse(events, typedEvent({ type: 'response.in_progress' })))
  const body = await operate(world.gateway, PATH, { input: 'hi', stream: true }).text()
  const seen = eventsIn(body)
  expect(seen.map(({ name }) => name)).toEqual(events.map(({ type }) => type))
  expect(seen.map(({ data }) => data.sequence_number)).toEqual(events.map((_, at) => at))
  expect(seen[0]?.data.response).toMatchObject({ model: 'm1' })
  expect(seen.at(-1)?.data.response).toMatchObject({ model: 'm1', usage: RESPONSE_USAGE })
  expect(seen[4]?.data).toEqual({ ...events[4] })
  expect(body).not.toContain('[DONE]')
  expect(await balanceOf(world.gateway)).toBe(PAID)
})

test('an answer that is cut at its limit is whole, and says why it ended', async () => {
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  const rest = [{ type: 'response.incomplete', response: responseBody(incomplete) }]
  await using world = await operationWorld({}, responseSse(responseEvents(['Hel'], rest)))
  const seen = eventsIn(await operate(world.gateway, PATH, { input: 'hi', stream: true }).text())
  expect(seen.at(-1)).toMatchObject({ name: 'response.incomplete', data: { response: incomplete } })
  expect(await settlementOf(world.gateway)).toMatchObject({ reason: 'completed', usage_source: 'reported' })
})

test('a plain answer to a stream becomes one, and a stream in place of a plain answer the response that it ends with', async () => {
  const call = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'c1',
    name: 'f',
    arguments: '{"a":1}',
    status: 'completed',
  }
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Think' }] }
  const output = [reasoning, MESSAGE_ITEM, call]
  await using world = await operationWorld({}, responseJson({ output }), responseSse(responseEvents(['Hello'])))
  const seen = eventsIn(await operate(world.gateway, PATH, { input: 'hi', stream: true }).text())
  expect(seen.map(({ data }) => data.sequence_number)).toEqual(seen.map((_, at) => at))
  expect(seen.at(-1)).toMatchObject({ name: 'response.completed', data: { response: { model: 'm1', output } } })
  expect(seen.filter(({ name }) => name === 'response.output_item.added').length).toBe(3)
  expect(await operate(world.gateway, PATH, { input: 'hi' }).json()).toMatchObject({
    output: [{ type: 'message' }],
    model: 'm1',
  })
})

test('on /api/v1 the cost is told, in both forms, and what its readers insist on; the id stays the provider’s', async () => {
  await using world = await operationWorld({}, responseJson(), responseSse(responseEvents(['Hello'])))
  const wanted = { id: 'resp_1', model: 'm1', completed_at: null, presence_penalty: 0, frequency_penalty: 0 }
  const usage = { ...RESPONSE_USAGE, is_byok: false, cost: 0.000078 }
  const answer = operate(world.gateway, '/api/v1/responses', { input: 'hi' })
  expect((await answer.head()).header('x-generation-id')).toMatch(/^gen-/)
  expect(await answer.json()).toMatchObject({ ...wanted, usage })
  const seen = eventsIn(await operate(world.gateway, '/api/v1/responses', { input: 'hi', stream: true }).text())
  expect(seen[0]?.data.response).toMatchObject({ ...wanted, usage: null })
  expect(seen.at(-1)?.data.response).toMatchObject({ ...wanted, usage })
})

test('without usage the prompt and what was said are reckoned', async () => {
  await using world = await operationWorld({}, responseJson({ usage: null }))
  await operate(world.gateway, PATH, { input: [{ role: 'user', content: 'x'.repeat(300) }] }).text()
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { input: 102, output: 2 },
    usage_source: 'estimate',
  })
})

test('who cannot pay for the longest answer gets a limit that can be paid', async () => {
  await using world = await operationWorld({}, responseJson())
  await using poor = await startGateway({ offers: { m1: [{ provider: world.provider }] }, balanceUsd: '0.01' })
  await operate(poor, PATH, { input: 'hi' }).text()
  const sent = world.provider.requests.at(-1)?.json()
  expect(sent).toMatchObject({ max_output_tokens: expect.any(Number), model: 'provider-m1' })
  expect(sent).not.toHaveProperty('max_tokens')
})

test('a background response is for whom it can be billed to: nothing tells its usage when it is answered', async () => {
  const queued = responseJson({ status: 'queued', output: [], usage: null })
  await using world = await operationWorld({}, queued)
  const refused = await errorOf(operate(world.gateway, PATH, { input: 'hi', background: true }))
  expect(refused).toMatchObject({ status: 503, code: 'no_backend' })
  expect(world.provider.requests.length).toBe(0)
  await using unmetered = await startGateway({ offers: { m1: [{ provider: world.provider }] }, balanceUsd: null })
  const answer = await operate(unmetered, PATH, { input: 'hi', background: true }).json()
  expect(answer).toMatchObject({ status: 'queued', model: 'm1' })
})

test('a tier that costs the operator more than the price is for whom the provider bills itself, and for unmetered accounts', async () => {
  await using world = await operationWorld({}, responseJson())
  const asked = { input: 'hi', service_tier: 'priority' }
  expect(await errorOf(operate(world.gateway, PATH, asked))).toMatchObject({
    code: 'no_backend',
    message: expect.stringContaining("'service_tier' asks to be served for more than the offer's price"),
  })
  expect(world.provider.requests.length).toBe(0)
  await operate(world.gateway, PATH, { input: 'hi', service_tier: 'flex' }).text()
  await using unmetered = await startGateway({ offers: { m1: [{ provider: world.provider }] }, balanceUsd: null })
  await operate(unmetered, PATH, asked).text()
  expect(world.provider.requests.map((request) => request.json())).toMatchObject([
    { service_tier: 'flex' },
    { service_tier: 'priority' },
  ])
})

test('what is missing or of the wrong form is told before anything is sent', async () => {
  await using world = await operationWorld({}, responseJson())
  for (const [body, param] of [
    ['{"input":"a"}', 'model'],
    ['{"model":"m1","input":"a","stream":1}', 'stream'],
    ['{"model":"m1","input":"a","previous_response_id":7}', 'previous_response_id'],
  ] as const)
    expect(await errorOf(operate(world.gateway, PATH, body))).toMatchObject({ status: 400, param })
  expect(world.provider.requests.length).toBe(0)
})

test('a backend that does not know it refuses the request, and is not blamed', async () => {
  await using world = await operationWorld({}, status(404, { error: { message: 'not here' } }))
  expect(await errorOf(operate(world.gateway, PATH, { input: 'hi' }))).toMatchObject({ status: 404 })
})
