import { afterAll, describe, expect, test } from 'bun:test'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'

import { errorOf } from '../support/wire-chat.ts'
import { askKept } from '../support/wire-kept.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'
import { eventsIn, responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const PATH = '/v1/responses'

test('events of a stored response go on from where they were broken off', async () => {
  await using world = await operationWorld({}, responseJson(), responseSse(responseEvents(['Hello']).slice(4)))
  const { gateway, provider } = world
  await operate(gateway, PATH, { input: 'hi' }).json()
  const seen = eventsIn(await askKept(gateway, 'GET', `${PATH}/resp_1?stream=true&starting_after=3`).text())
  expect(provider.requests.at(-1)?.target).toBe('/v1/responses/resp_1?stream=true&starting_after=3')
  expect(seen.map(({ data }) => data.sequence_number)).toEqual([4, 5, 6, 7, 8])
  expect(seen.at(-1)).toMatchObject({ name: 'response.completed', data: { response: { model: 'm1' } } })
})

const world = await operationWorld({}, responseJson())
afterAll(() => world[Symbol.asyncDispose]())

describe('what the provider says in place of an answer', () => {
  test.each([
    ['not found', status(404, { error: { message: 'gone' } }), { status: 404, message: 'gone' }],
    [
      'the credential is refused',
      status(401, { error: { message: 'no' } }),
      { status: 502, code: 'upstream_credentials_rejected' },
    ],
    ['too many', status(429, { error: { message: 'slow' } }), { status: 429, code: 'rate_limit_exceeded' }],
    ['it fails', status(500, 'down'), { status: 502, code: 'provider_failed' }],
    ['no document', status(200, 'hello'), { status: 502, code: 'provider_failed' }],
  ])('%s', async (_name, answer, wanted) => {
    world.provider.script(responseJson(), answer)
    await operate(world.gateway, PATH, { input: 'hi' }).json()
    expect(await errorOf(askKept(world.gateway, 'GET', `${PATH}/resp_1`))).toMatchObject(wanted)
  })
})

test('without a key nothing is told, and an id that cannot be read is refused', async () => {
  await using world = await operationWorld({}, responseJson())
  const { gateway } = world
  expect((await rawRequest(gateway.origin, { method: 'GET', path: `${PATH}/resp_1` }).head()).status).toBe(401)
  expect(await errorOf(askKept(gateway, 'GET', `${PATH}/%ff`))).toMatchObject({ status: 400, param: 'id' })
})
