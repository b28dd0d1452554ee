import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf, timingOf } from '../support/wire-chat.ts'

test('the models list is the catalogue, in its order, for who has a key', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'b/two': [{ provider }], 'a/one': [{ provider }] } })
  const answer = rawRequest(gateway.origin, { method: 'GET', path: '/v1/models?limit=1', headers: bearer(gateway) })
  const head = await answer.head()
  expect(timingOf(head).get('total')).toBeGreaterThanOrEqual(0)
  expect(JSON.parse(await answer.text())).toEqual({
    object: 'list',
    data: ['b/two', 'a/one'].map((id) => ({ id, object: 'model', created: expect.any(Number), owned_by: 'mock' })),
  })
  expect(await errorOf(rawRequest(gateway.origin, { method: 'GET', path: '/v1/models' }))).toMatchObject({
    status: 401,
  })
})

test('one model by its id, with a plain or an encoded slash', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'a/one': [{ provider }] } })
  for (const path of ['/v1/models/a/one', '/v1/models/a%2Fone']) {
    const answer = rawRequest(gateway.origin, { method: 'GET', path, headers: bearer(gateway) })
    expect(await answer.json()).toMatchObject({ id: 'a/one', object: 'model' })
  }
  expect(
    await errorOf(rawRequest(gateway.origin, { method: 'GET', path: '/v1/models/a/on', headers: bearer(gateway) })),
  ).toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
})

test('a host of one letter is a host; what is none is 400, and said in JSON', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'a/one': [{ provider }] } })
  const get = (path: string, host: string) =>
    rawRequest(gateway.origin, { method: 'GET', path, headers: { ...bearer(gateway), host } })
  expect(await get('/v1/models/a/one', 'g').json()).toMatchObject({ id: 'a/one' })
  for (const host of ['[', 'a b/<>?', '']) {
    for (const path of ['/v1/models/a/one', '/nope'])
      expect(await errorOf(get(path, host))).toMatchObject({ status: 400, code: 'invalid_request' })
  }
})

test('health and readiness need no key', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  expect(await rawRequest(gateway.origin, { method: 'GET', path: '/healthz' }).status()).toBe(200)
  const ready = rawRequest(gateway.origin, { method: 'GET', path: '/readyz' })
  expect(await ready.json()).toMatchObject({ status: 'ready' })
  const page = rawRequest(gateway.origin, { method: 'GET', path: '/' })
  expect((await page.head()).header('content-type')).toContain('text/html')
  const html = await page.text()
  expect(html).toContain('m1')
  expect(html).not.toContain(gateway.key)
  expect(html).not.toContain(provider.origin)
  const headers = { host: 'llm.example.com', 'x-forwarded-proto': 'https' }
  const outside = await rawRequest(gateway.origin, { method: 'GET', path: '/', headers }).text()
  expect(outside).toContain('https://llm.example.com/v1')
  expect(outside).not.toContain(new URL(gateway.origin).host)
})
