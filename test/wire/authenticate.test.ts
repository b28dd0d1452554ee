import { expect, test } from 'bun:test'
import { startGateway, unknownKey } from '../support/gateway.ts'
import { rawClient, rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { CHAT_PATH, chat, errorOf, timingOf } from '../support/wire-chat.ts'

test('the key is taken from any of three headers, whichever is valid', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  const foreign = 'sk-ant-foreign'
  for (const headers of [
    { Authorization: `bearer ${gateway.key}` },
    { 'X-Api-Key': gateway.key },
    { 'api-key': gateway.key },
    { Authorization: `Bearer ${foreign}`, 'x-api-key': gateway.key },
  ]) {
    expect(await chat(gateway, {}, headers).status()).toBe(200)
  }
  for (const request of provider.requests) expect(request.raw.toString()).not.toContain(foreign)
})

test('no key, an unknown key, an almost right key: 401, and nothing is sent', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const almost = gateway.key.slice(0, -1) + (gateway.key.endsWith('x') ? 'y' : 'x')
  expect(await errorOf(chat(gateway, {}, {}))).toMatchObject({ status: 401, code: 'missing_api_key' })
  for (const key of [unknownKey(), almost, 'x'.repeat(10_000)]) {
    const error = await errorOf(chat(gateway, {}, { authorization: `Bearer ${key}` }))
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' })
    expect(error.message).not.toContain(key)
    expect(timingOf(error.head).has('upstream')).toBe(false)
  }
  expect(provider.connections).toBe(0)
})

test('a revoked key is refused at once, though it was in memory', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
  const keys = (await gateway.admin('GET', '/keys')).body.data
  expect((await gateway.admin('POST', `/keys/${keys[0].id}/revoke`)).status).toBe(200)
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 401, code: 'invalid_api_key' })
})

test('a key known to be bad is refused before its body has come', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const authorization = `Bearer ${unknownKey()}`
  await errorOf(chat(gateway, {}, { authorization })) // from now on it is known
  await using client = rawClient(gateway.origin)
  await client.write(
    `POST ${CHAT_PATH} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 1000\r\n\r\n{`,
  )
  expect(await client.answer().status()).toBe(401)
})

test('a key limited to some models may not use another, and does not learn of it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }], m2: [{ provider }] } })
  const { body } = await gateway.admin('POST', '/keys', { account: 'test', name: 'narrow', models: ['m2'] })
  const headers = { authorization: `Bearer ${body.secret}` }
  expect(await errorOf(chat(gateway, {}, headers))).toMatchObject({
    status: 403,
    code: 'model_not_permitted',
    param: 'model',
  })
  const list = rawRequest(gateway.origin, { method: 'GET', path: '/v1/models', headers })
  expect(((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['m2', 'anyrouter/auto'])
  expect(provider.requests.length).toBe(0)
})
