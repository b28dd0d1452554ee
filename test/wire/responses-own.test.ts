import { describe, expect, test } from 'bun:test'
import { errorOf } from '../support/wire-chat.ts'
import { askKept } from '../support/wire-kept.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'
import { responseJson } from '../support/wire-responses.ts'

const PATH = '/v1/responses'

describe('nothing is known of what is not stored', () => {
  test.each([
    ['because nobody asked for it', { store: false }, {}],
    ['because the provider does not', {}, { store: false }],
  ])('%s', async (_name, asked, told) => {
    await using world = await operationWorld({}, responseJson(told))
    await operate(world.gateway, PATH, { input: 'hi', ...asked }).json()
    expect(await errorOf(askKept(world.gateway, 'GET', `${PATH}/resp_1`))).toMatchObject({ status: 404 })
    expect(world.provider.requests.length).toBe(1)
  })
})

test('it is known after a restart', async () => {
  await using world = await operationWorld({}, responseJson())
  const { gateway } = world
  await operate(gateway, PATH, { input: 'hi' }).json()
  await gateway.restart()
  expect(await askKept(gateway, 'GET', `${PATH}/resp_1`).json()).toMatchObject({ id: 'resp_1' })
})

test('a conversation was not made here: it needs an own credential', async () => {
  await using world = await operationWorld({}, responseJson())
  for (const conversation of ['conv_1', { id: 'conv_1' }])
    expect(await errorOf(operate(world.gateway, PATH, { input: 'hi', conversation }))).toMatchObject({
      status: 400,
      code: 'not_stored',
      param: 'conversation',
    })
  const { gateway } = world
  const credential = { provider: 'mock', name: 'mine', secret: 'sk-own-canary-0123456789' }
  expect((await gateway.admin('POST', `/accounts/${gateway.account}/credentials`, credential)).status).toBe(201)
  await operate(gateway, PATH, { input: 'hi', conversation: 'conv_1' }).json()
  expect(world.provider.requests.at(-1)?.header('authorization')).toBe('Bearer sk-own-canary-0123456789')
  world.provider.script(responseJson())
  await askKept(gateway, 'GET', `${PATH}/resp_1`).json()
  expect(world.provider.requests.at(-1)?.header('authorization')).toBe('Bearer sk-own-canary-0123456789')
})
