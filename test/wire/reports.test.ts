import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bearer, startGateway } from '../support/gateway.ts'
import { executable } from '../support/run-gateway.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { eventually } from '../support/wire-chat.ts'
import { api, COST, creditsOf, hashOf, managementKey, otherAccount } from '../support/wire-reports.ts'

test('credits: both shapes of the own account, never zeros; a management key is told of all', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('one', 100, 10))
  expect((await api(gateway, '/credits')).body).toEqual({
    data: { total_credits: 1, total_usage: 0 },
    balance: 1,
    monthly_balance: 0,
    topup_balance: 1,
    used: 0,
    today_cost: 0,
    currency: 'usd',
  })
  expect(await apiChat(gateway).status()).toBe(200)
  expect(await creditsOf(gateway, COST)).toMatchObject({
    data: { total_credits: 1, total_usage: COST },
    balance: 0.9995,
    today_cost: COST,
  })
  const theirs = await otherAccount(gateway)
  expect((await api(gateway, '/credits', theirs)).body).toMatchObject({ balance: 0, used: 0 })
  const operator = await managementKey(gateway, 'read')
  expect((await api(gateway, '/credits', operator)).body.data).toEqual({ total_credits: 1, total_usage: COST })
  expect((await api(gateway, '/credits?account=other', operator)).body).toMatchObject({ used: 0 })
  expect((await api(gateway, '/credits?account=nobody', operator)).status).toBe(404)
  expect((await api(gateway, '/credits', await managementKey(gateway, 'write'))).status).toBe(403)
  expect((await api(gateway, '/credits', {})).body.error).toMatchObject({ code: 401 })
})

test('key: its limit, what it leaves, what was spent; under both names', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('one', 100, 10))
  const terms = { budget_day_usd: '0.01', budget_total_usd: '5', requests_per_minute: 60 }
  const { body } = await gateway.admin('POST', '/keys', { account: 'test', name: 'limited', ...terms })
  const headers = bearer({ key: body.secret })
  expect(await apiChat(gateway, {}, headers).status()).toBe(200)
  const spent = await eventually(async () => {
    const { data } = (await api(gateway, '/key', headers)).body
    return data.usage > 0 ? data : undefined
  })
  expect(spent).toMatchObject({
    name: 'limited',
    label: body.prefix,
    limit: 0.01,
    limit_remaining: 0.0095,
    limit_reset: 'daily',
    usage: COST,
    usage_daily: COST,
    usage_weekly: COST,
    usage_monthly: COST,
    byok_usage: 0,
    is_free_tier: false,
    is_management_key: false,
    expires_at: null,
    rate_limit: { requests: 60, interval: '1m' },
  })
  expect((await api(gateway, '/auth/key', headers)).body.data).toEqual(spent)
  const operator = await managementKey(gateway, 'read')
  expect((await api(gateway, '/key', operator)).body.data).toMatchObject({ is_management_key: true, limit: null })
})

test('activity: by day, model and provider, of the own account; of one key; of one day', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }], m2: [{ provider }] } })
  provider.script(completion('one', 100, 10), completion('two', 100, 10), json(500, { error: { message: 'no' } }))
  for (const model of ['m1', 'm2', 'm2']) await apiChat(gateway, { model }).text()
  await creditsOf(gateway, 2 * COST)
  const today = new Date().toISOString().slice(0, 10)
  const row = {
    date: today,
    requests: 1,
    usage: COST,
    byok_usage_inference: 0,
    prompt_tokens: 100,
    completion_tokens: 10,
  }
  const rows = [
    { ...row, model: 'm1', model_permaslug: 'm1', endpoint_id: 'b0', provider_name: 'mock' },
    { ...row, model: 'm2', model_permaslug: 'm2', endpoint_id: 'b1', provider_name: 'mock' },
  ]
  expect((await api(gateway, '/activity')).body.data).toMatchObject(rows)
  expect((await api(gateway, `/activity?date=${today}`)).body.data).toMatchObject(rows)
  expect((await api(gateway, '/activity?date=2020-01-01')).body.data).toEqual([])
  expect((await api(gateway, `/activity?api_key_hash=${hashOf(gateway.key)}`)).body.data).toMatchObject(rows)
  const theirs = await otherAccount(gateway)
  expect((await api(gateway, '/activity', theirs)).body.data).toEqual([])
  expect((await api(gateway, `/activity?api_key_hash=${hashOf(gateway.key)}`, theirs)).status).toBe(404)
  expect((await api(gateway, '/activity', await managementKey(gateway, 'read'))).body.data).toMatchObject(rows)
  expect((await api(gateway, '/activity?date=yesterday')).body.error.message).toMatch(/^'date' must be a day/)
})

test('activity tells a day, a model and a backend in one row, whosever credentials were shown there', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('one', 100, 10), completion('two', 100, 10))
  expect(await apiChat(gateway).status()).toBe(200)
  const own = { provider: 'mock', name: 'ours', secret: 'own-one' }
  expect((await gateway.admin('POST', `/accounts/${gateway.account}/credentials`, own)).status).toBe(201)
  expect(await apiChat(gateway).status()).toBe(200)
  const told = await eventually(async () => {
    const { data } = (await api(gateway, '/activity')).body
    const requests = data.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0)
    return requests === 2 ? data : undefined
  })
  expect(told).toMatchObject([{ requests: 2, usage: COST, byok_usage_inference: 0, prompt_tokens: 200 }])
})

test('backends that are hidden have one row together: nothing in it would tell theirs apart', async () => {
  await using provider = await scriptedProvider()
  const yaml = { replies: { hide_backends: true } }
  await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider }] }, yaml })
  provider.script(completion('one', 100, 10), json(500, { error: { message: 'no' } }), completion('two', 100, 10))
  for (const _ of [1, 2]) expect(await apiChat(gateway).status()).toBe(200)
  await creditsOf(gateway, 2 * COST)
  const row = { endpoint_id: 'anyrouter', provider_name: 'anyrouter', requests: 2, usage: 2 * COST }
  const { data } = (await api(gateway, '/activity')).body
  expect(data).toMatchObject([row])
})

test('a backend that is configured no more is told by its id: readers take no row without a name', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider, id: 'old' }] } })
  provider.script(completion('one', 100, 10))
  const answer = apiChat(gateway)
  await answer.text()
  await creditsOf(gateway, COST)
  gateway.configure({ offers: { m1: [{ provider, id: 'new' }] } })
  expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
  expect((await api(gateway, '/activity')).body.data).toMatchObject([{ endpoint_id: 'old', provider_name: 'old' }])
  const { data } = (await api(gateway, `/generation/${(await answer.head()).header('x-generation-id')}`)).body
  expect(data).toMatchObject({
    provider_name: 'old',
    provider_responses: [{ provider_name: 'old' }],
    data_region: 'global',
  })
})

test('sums are the same after the records were lost, and they are told again from the ledger', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(...Array.from({ length: 5 }, () => completion('one', 100, 10)))
  for (let count = 0; count < 5; count++) expect(await apiChat(gateway).status()).toBe(200)
  await creditsOf(gateway, 5 * COST)
  const before = (await api(gateway, '/activity')).body
  expect(before.data).toMatchObject([{ requests: 5, usage: 5 * COST }])
  await gateway.restart()
  expect((await api(gateway, '/activity')).body).toEqual(before)
  if (executable !== null) {
    await gateway.killAndRestart()
    expect((await api(gateway, '/activity')).body).toEqual(before)
  }
  await gateway.restart(() => {
    for (const file of ['records.db', 'records.db-wal', 'records.db-shm'])
      rmSync(join(gateway.dataFolder, file), { force: true })
  })
  expect((await api(gateway, '/activity')).body).toEqual(before)
})

test('a report is at /api/v1 alone', async () => {
  await using gateway = await startGateway({ offers: {} })
  for (const path of ['/v1/credits', '/v1/key', '/v1/activity', '/v1/keys']) {
    const answer = await fetch(gateway.origin + path, { headers: bearer(gateway) })
    expect(answer.status).toBe(404)
    await answer.arrayBuffer()
  }
})
