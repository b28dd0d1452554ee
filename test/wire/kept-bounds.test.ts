import { expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf, keyWith } from '../support/wire-chat.ts'
import { askKept, BATCH_ASKED, batchBody, fileBody, fileForm, sendFile } from '../support/wire-kept.ts'

/** An account that is not metered has a file and a batch in the United States; its first key may leave home. */
async function worldOf() {
  const provider = await scriptedProvider()
  provider.script(json(fileBody('file-1')), json(batchBody('batch_1')), json(batchBody('batch_1')))
  const gateway = await startGateway({
    offers: { m1: [{ id: 'abroad', provider, backend: { region: 'us' } }] },
    yaml: { routing: { home_regions: ['ca'] } },
    balanceUsd: null,
  })
  await gateway.admin('PATCH', `/accounts/${gateway.account}`, { allow_foreign: true })
  const traveller = await keyWith(gateway, { allow_foreign: true })
  const begin = (headers: Readonly<Record<string, string>>) =>
    rawRequest(gateway.origin, { path: '/v1/batches', headers, json: BATCH_ASKED })
  expect(await sendFile(gateway, fileForm('{}'), traveller.headers).json()).toMatchObject({ id: 'file-1' })
  expect(await begin(traveller.headers).json()).toMatchObject({ id: 'batch_1' })
  return {
    provider,
    gateway,
    begin,
    traveller,
    ...endedInTurn(gateway, provider),
  }
}

test('a key that stays home reaches nothing that is kept abroad: no request goes there', async () => {
  await using world = await worldOf()
  const { gateway, provider, begin } = world
  const before = provider.requests.length
  for (const [method, path] of [
    ['GET', '/v1/files/file-1'],
    ['GET', '/v1/files/file-1/content'],
    ['DELETE', '/v1/files/file-1'],
    ['GET', '/v1/batches/batch_1'],
    ['POST', '/v1/batches/batch_1/cancel'],
  ] as const)
    expect(await errorOf(askKept(gateway, method, path))).toMatchObject({ status: 403, code: 'region_restricted' })
  for (const refused of [begin(bearer(gateway)), sendFile(gateway, fileForm('{}'))])
    expect(await errorOf(refused)).toMatchObject({ status: 403, code: 'region_restricted' })
  // What is known already is told; whether the batch has ended meanwhile is not asked.
  expect(await askKept(gateway, 'GET', '/v1/batches').json()).toMatchObject({ data: [batchBody('batch_1')] })
  expect(provider.requests).toHaveLength(before)
})

test('what an operator takes out is asked for nothing that it keeps', async () => {
  await using world = await worldOf()
  const { gateway, provider, traveller } = world
  const before = provider.requests.length
  const order = { reason: 'maintenance', for_ms: 60_000 }
  expect((await gateway.admin('PUT', '/quarantine/abroad', order)).status).toBe(200)
  const refused = rawRequest(gateway.origin, { method: 'GET', path: '/v1/batches/batch_1', headers: traveller.headers })
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'no_backend' })
  expect(Number((await refused.head()).header('retry-after'))).toBeGreaterThan(50)
  expect(provider.requests).toHaveLength(before)
})

test('where models are listed there are no batches, with an own credential either', async () => {
  await using provider = await scriptedProvider()
  provider.script(json(fileBody('file-1')), json(batchBody('batch_1')))
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const credential = { provider: 'mock', name: 'mine', secret: 'sk-own-canary-0123456789' }
  await gateway.admin('POST', `/accounts/${gateway.account}/credentials`, credential)
  await sendFile(gateway, fileForm('{}')).json()
  const begin = (headers: Readonly<Record<string, string>>) =>
    rawRequest(gateway.origin, { path: '/v1/batches', headers, json: BATCH_ASKED })
  const listed = await keyWith(gateway, { models: ['m1'] })
  expect(await errorOf(begin(listed.headers))).toMatchObject({ status: 403, code: 'not_metered' })
  await gateway.admin('PATCH', `/accounts/${gateway.account}`, { models: ['m1'] })
  expect(await errorOf(begin(bearer(gateway)))).toMatchObject({ status: 403, code: 'not_metered' })
  await gateway.admin('PATCH', `/accounts/${gateway.account}`, { models: null })
  expect(await begin(bearer(gateway)).json()).toMatchObject({ id: 'batch_1' })
})
