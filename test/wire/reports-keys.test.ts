import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { apiChat, apiErrorOf } from '../support/wire-api-v1.ts'
import { eventually } from '../support/wire-chat.ts'
import { api, COST, hashOf, managementKey, otherAccount, send } from '../support/wire-reports.ts'

test('keys: made, listed, shown, changed and revoked with a management key, as the provisioning API has it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('one', 100, 10))
  const operator = await managementKey(gateway, 'read', 'write')
  const wish = { name: 'their app', limit: 5, limit_reset: 'monthly', include_byok_in_limit: false }
  const made = await api(gateway, '/keys', operator, send('POST', wish))
  expect([made.status, made.body]).toMatchObject([
    201,
    { data: { name: 'their app', limit: 5, limit_reset: 'monthly' } },
  ])
  const { data, key } = made.body
  expect(data.hash).toBe(hashOf(key))
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(200)
  const shown = await eventually(async () => {
    const answer = await api(gateway, `/keys/${data.hash}`, operator)
    return answer.body.data.usage > 0 ? answer.body.data : undefined
  })
  expect(shown).toMatchObject({ usage: COST, usage_monthly: COST, limit_remaining: 4.9995, disabled: false })

  const changed = await api(
    gateway,
    `/keys/${data.hash}`,
    operator,
    send('PATCH', { limit: 0.0001, limit_reset: 'daily' }),
  )
  expect(changed.body.data).toMatchObject({ limit: 0.0001, limit_reset: 'daily', limit_remaining: 0 })
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(402)
  const later = { limit: null, name: 'renamed', expires_at: '2099-01-31T12:00:00Z' }
  expect((await api(gateway, `/keys/${data.hash}`, operator, send('PATCH', later))).body.data).toMatchObject({
    limit: null,
    limit_reset: null,
    name: 'renamed',
    expires_at: '2099-01-31T12:00:00.000Z',
  })

  const paused = await api(gateway, `/keys/${data.hash}`, operator, send('PATCH', { disabled: true }))
  expect(paused.body.data).toMatchObject({ disabled: true })
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(401)
  const names = async (query = '') =>
    (await api(gateway, `/keys${query}`, operator)).body.data.map((one: { name: string }) => one.name)
  expect([await names(), await names('?include_disabled=true')]).toEqual([['test'], ['renamed', 'test']])
  const taken = await api(gateway, `/keys/${data.hash}`, operator, send('PATCH', { disabled: false }))
  expect(taken.body.data).toMatchObject({ disabled: false })
  provider.script(completion('two', 100, 10))
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(200)

  expect(await names()).toEqual(['renamed', 'test'])
  expect((await api(gateway, '/keys?offset=1', operator)).body.data).toMatchObject([{ name: 'test' }])
  expect((await api(gateway, `/keys/${data.hash}`, operator, send('DELETE'))).body).toEqual({ deleted: true })
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(401)
  const revived = await api(gateway, `/keys/${data.hash}`, operator, send('PATCH', { disabled: false }))
  expect(revived.status).toBe(409)
  expect((await api(gateway, '/keys', operator)).body.data).toMatchObject([{ name: 'test' }])
  expect((await api(gateway, '/keys?include_disabled=true', operator)).body.data).toMatchObject([
    { name: 'renamed', disabled: true },
    { name: 'test' },
  ])
  const audit = (await gateway.admin('GET', '/audit?action=key.revoke')).body.data
  expect(audit).toMatchObject([{ actor: expect.stringMatching(/^key:mkey_/) }])
})

test('keys: what is wrong is refused, and nothing is made', async () => {
  await using gateway = await startGateway({ offers: {} })
  const operator = await managementKey(gateway, 'read', 'write')
  const post = (body: object, headers = operator) => api(gateway, '/keys', headers, send('POST', body))
  for (const [body, param] of [
    [{ name: 'x', limit: -1 }, 'limit'],
    [{ name: 'x', limit_reset: 'daily' }, 'limit_reset'],
    [{ name: 'x', limit: 1, limit_reset: 'hourly' }, 'limit_reset'],
    [{ name: 'x', include_byok_in_limit: true }, 'include_byok_in_limit'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', expires_at: 'soon' }, 'expires_at'],
    [{ name: 'x', unknown: 1 }, 'unknown'],
    [{}, 'name'],
  ] as const) {
    const answer = await post(body)
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(`'${param}'`)])
  }
  expect((await post({ name: 'x' }, bearer(gateway))).status).toBe(403)
  expect((await post({ name: 'x' }, await managementKey(gateway, 'read'))).status).toBe(403)
  await otherAccount(gateway)
  expect((await post({ name: 'x' })).body.error.message).toMatch(/'account'/)
  const { workspace_id: workspace } = (await post({ name: 'x', account: 'other' })).body.data
  expect(workspace).toMatch(/^acc_/)
  expect((await post({ name: 'y', workspace_id: workspace })).body.data.workspace_id).toBe(workspace)
  const theirs = (await api(gateway, `/keys?workspace_id=${workspace}`, operator)).body.data
  expect(theirs.map(({ name }: { name: string }) => name)).toEqual(['y', 'x', 'theirs'])
  expect((await api(gateway, `/keys/${hashOf('nobody')}`, operator)).status).toBe(404)
})

test('a host that is none is 400 here too, also with an idempotency key', async () => {
  await using gateway = await startGateway({ offers: {} })
  const headers = { ...(await managementKey(gateway, 'write')), 'idempotency-key': 'once' }
  const json = { name: 'their app' }
  for (const host of ['%', 'a b/<>?']) {
    const answer = rawRequest(gateway.origin, { path: '/api/v1/keys', headers: { ...headers, host }, json })
    expect((await apiErrorOf(answer)).code).toBe(400)
  }
})
