import { expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, keyWith } from '../support/wire-chat.ts'

const OK = completion('ok', 1, 1)

/** A provider that says nothing, one that keeps data, one that neither keeps it nor trains on it. */
async function providers() {
  const all = await Promise.all([scriptedProvider(), scriptedProvider(), scriptedProvider()])
  for (const provider of all) provider.script(OK)
  const [silent, keeper, discreet] = all
  const keeps = { id: 'keeper', data: { retention: 30, training: false } }
  const gateway = await startGateway({
    offers: {
      m1: [
        { id: 'silent', provider: silent },
        { id: 'keeper', provider: keeper, of: keeps },
        { id: 'discreet', provider: discreet, of: { id: 'discreet', data: { retention: 'none', training: false } } },
      ],
      m2: [
        { id: 'silent', provider: silent },
        { id: 'keeper', provider: keeper, of: keeps },
      ],
    },
  })
  return {
    gateway,
    /** Who has got requests since, in the order of the offers. */
    took: () => all.map(({ requests }) => requests.length),
    ...endedInTurn(gateway, ...all),
  }
}

test('zero retention of the account, no training by a key, and both by a request: each narrows, none widens', async () => {
  await using world = await providers()
  const { gateway } = world
  const careful = await keyWith(gateway, { allow_training: false })
  const asked = (provider: object) => chat(gateway, { provider }, bearer(gateway)).status()
  expect(await chat(gateway).status()).toBe(200)
  expect(world.took()).toEqual([1, 0, 0])
  expect(await chat(gateway, {}, careful.headers).status()).toBe(200)
  expect(await asked({ data_collection: 'deny' })).toBe(200)
  expect(world.took()).toEqual([1, 2, 0])
  expect(await asked({ zdr: true })).toBe(200)
  expect(world.took()).toEqual([1, 2, 1])

  expect((await gateway.admin('PATCH', `/accounts/${gateway.account}`, { zdr: true })).status).toBe(200)
  expect(await asked({ zdr: false, data_collection: 'allow' })).toBe(200)
  expect(await chat(gateway, {}, careful.headers).status()).toBe(200)
  expect(world.took()).toEqual([1, 2, 3])
})

test('404 when no provider of the model is so: nothing is sent, the skips and OpenRouter’s words are told', async () => {
  await using world = await providers()
  const { gateway } = world
  expect(await errorOf(chat(gateway, { model: 'm2', provider: { zdr: true } }))).toMatchObject({
    status: 404,
    code: 'privacy_restricted',
    param: 'model',
    skips: [
      { rule: 'data-handling', reason: 'the provider may keep what it is sent' },
      { rule: 'data-handling', reason: 'the provider may keep what it is sent' },
    ],
    excluded_by: ['data_policy:zdr'],
  })
  await gateway.admin('PATCH', `/accounts/${gateway.account}`, { zdr: true })
  expect((await errorOf(chat(gateway, { model: 'm2' }))).code).toBe('privacy_restricted')
  const list = await (await fetch(`${gateway.baseUrl}/models`, { headers: bearer(gateway) })).json()
  expect(list).toMatchObject({ data: [{ id: 'm1' }, { id: 'anyrouter/auto' }] })
  expect(world.took()).toEqual([0, 0, 0])
})

test('models of an account bind every key of it', async () => {
  await using world = await providers()
  const { gateway } = world
  const terms = { models: ['m2'] }
  expect((await gateway.admin('PATCH', `/accounts/${gateway.account}`, terms)).body).toMatchObject(terms)
  const key = await keyWith(gateway, { models: ['m1'] })
  expect(await errorOf(chat(gateway, {}, key.headers))).toMatchObject({ status: 403, code: 'model_not_permitted' })
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 403, code: 'model_not_permitted' })
  expect(await chat(gateway, { model: 'm2' }).status()).toBe(200)
})
