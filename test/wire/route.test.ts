import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf } from '../support/wire-chat.ts'

test('an unknown model is 404 with near names', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'acme/small': [{ provider }], 'acme/large': [{ provider }] } })
  const error = await errorOf(chat(gateway, { model: 'acme/smal' }))
  expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
  expect(error.message).toContain("'acme/small'")
})

test('an alias is served, and answers under the name of its model', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { 'acme/small': [{ provider }] },
    yaml: { aliases: { small: 'acme/small' } },
  })
  provider.script(completion('ok', 1, 1))
  const answer = chat(gateway, { model: 'small' })
  expect(JSON.parse(await answer.text()).model).toBe('acme/small')
})

test('a disabled backend is passed over; when none is left the refusal says why', async () => {
  await using provider = await scriptedProvider()
  await using other = await scriptedProvider()
  await using gateway = await startGateway({
    offers: {
      m1: [{ provider, backend: { enabled: false } }, { provider: other }],
      m2: [{ provider, backend: { enabled: false } }],
    },
  })
  other.script(completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
  expect(provider.connections).toBe(0)
  const error = await errorOf(chat(gateway, { model: 'm2' }))
  expect(error).toMatchObject({ status: 503, code: 'no_backend' })
  expect(error.message).toContain('disabled')
})

test('an offer without a price serves unmetered accounts only', async () => {
  await using provider = await scriptedProvider()
  provider.script(completion('ok', 1, 1))
  await using prepaid = await startGateway({ offers: { m1: [{ provider, price: null }] } })
  expect(await errorOf(chat(prepaid))).toMatchObject({ status: 503, code: 'no_backend' })
  expect(provider.connections).toBe(0)
  await using unmetered = await startGateway({ offers: { m1: [{ provider, price: null }] }, balanceUsd: null })
  expect(await chat(unmetered).status()).toBe(200)
})

test('the plan is shown without sending anything, with every skip', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { enabled: false } }, { provider }] },
  })
  const { status, body } = await gateway.admin('POST', '/route', { model: 'm1', account: gateway.account })
  expect(status).toBe(200)
  expect(body.candidates.map((candidate: { backend: string }) => candidate.backend)).toEqual(['b1'])
  expect(body.skips).toMatchObject([{ backend: 'b0', rule: 'enabled' }])
  expect(provider.connections).toBe(0)
})
