import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { executable } from '../support/run-gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, finish, role, sse, text, usage } from '../support/sse.ts'
import { apiChat, apiStream } from '../support/wire-api-v1.ts'
import { eventually } from '../support/wire-chat.ts'

type Headers = Readonly<Record<string, string>>

/** One call below `/api/v1`. */
async function api(gateway: TestGateway, path: string, headers: Headers = bearer(gateway), more: RequestInit = {}) {
  const answer = await fetch(`${gateway.origin}/api/v1${path}`, { headers, ...more })
  const body = await answer.text()
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  return { status: answer.status, body: JSON.parse(body), headers: answer.headers }
}

const send = (method: string, body?: object): RequestInit => ({
  method,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

async function managementKey(gateway: TestGateway, ...scopes: string[]): Promise<Headers> {
  const { status: made, body } = await gateway.admin('POST', '/management-keys', { name: scopes.join(), scopes })
  expect(made).toBe(201)
  return bearer({ key: body.secret })
}

async function otherAccount(gateway: TestGateway): Promise<Headers> {
  expect((await gateway.admin('POST', '/accounts', { name: 'other', kind: 'unmetered' })).status).toBe(201)
  const { body } = await gateway.admin('POST', '/keys', { account: 'other', name: 'theirs' })
  return bearer({ key: body.secret })
}

const hashOf = (secret: string): string => Bun.CryptoHasher.hash('sha256', secret, 'hex')
/** 100 × $4 and 10 × $10, per million. */
const COST = 0.0005

/** What was charged, once it is on disk. */
const creditsOf = (gateway: TestGateway, used: number, headers = bearer(gateway)) =>
  eventually(async () => {
    const { body } = await api(gateway, '/credits', headers)
    return body.used === used ? body : undefined
  })

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

test('generation: what a request cost and where its time went, to its own account alone', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider }] } })
  provider.script(
    status(503, { error: { message: 'busy' } }, { 'x-request-id': 'their-1' }),
    status(200, completionBody('yes', 100, 10), { 'x-request-id': 'their-2' }),
  )
  const headers = {
    ...bearer(gateway),
    'x-title': 'Tests',
    'http-referer': 'https://app.example',
    'x-request-id': 'mine',
  }
  const answer = apiChat(gateway, { session_id: 'conversation-1' }, headers)
  expect(await answer.status()).toBe(200)
  const { id } = JSON.parse(await answer.text())
  const { status: found, body } = await api(gateway, `/generation?id=${id}`) // at once: it waits for its record
  expect(found).toBe(200)
  expect(body.data).toMatchObject({
    id,
    client_request_id: 'mine',
    upstream_id: 'their-2',
    model: 'm1',
    provider_name: 'mock',
    api_type: 'chat.completions',
    streamed: false,
    cancelled: false,
    status: 200,
    finish_reason: 'stop',
    tokens_prompt: 100,
    tokens_completion: 10,
    native_tokens_prompt: 100,
    usage: COST,
    cost: COST,
    total_cost: COST,
    usage_source: 'reported',
    is_byok: false,
    session_id: 'conversation-1',
    http_referer: 'https://app.example',
    app_title: 'Tests',
    provider_responses: [
      { provider_name: 'mock', outcome: 'failed', status: 503 },
      { provider_name: 'mock', outcome: 'succeeded', status: 200 },
    ],
  })
  const { gw, upstream, post, total, stages } = body.data.timing
  expect(gw + upstream + post).toBeCloseTo(total, 6)
  expect(Object.values<number>(stages).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(gw, 6)
  expect((await api(gateway, `/generation/${id}`)).body).toEqual(body)

  const theirs = await otherAccount(gateway)
  for (const path of [`/generation/${id}`, `/generation?id=${id}`])
    expect((await api(gateway, path, theirs)).status).toBe(404)
  const operator = await managementKey(gateway, 'read')
  expect((await api(gateway, `/generation/${id}`, operator)).body).toEqual(body)
  for (const wrong of ['gen-0', 'nothing', `${id.slice(0, -1)}x`])
    expect((await api(gateway, `/generation/${wrong}`)).status).toBe(404)
  expect((await api(gateway, '/generation')).status).toBe(400)

  await gateway.restart()
  expect((await api(gateway, `/generation/${id}`)).body).toEqual(body)
})

test('generation: a stream that its caller left is cancelled; backends that are hidden are not told', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider }] },
    yaml: { replies: { hide_backends: true } },
  })
  provider.script(sse(role(), text('a'), usage(100, 10), finish('length')), sse(role(), text('b'), { hang: true }))
  const whole = apiStream(gateway)
  await whole.text()
  const { body } = await api(gateway, `/generation/${(await whole.head()).header('x-generation-id')}`)
  expect(body.data).toMatchObject({ streamed: true, cancelled: false, finish_reason: 'length', provider_name: null })
  expect(body.data.provider_responses).toMatchObject([{ provider_name: null }])
  const left = apiStream(gateway)
  await left.until('b')
  left.hangUp()
  const id = (await left.head()).header('x-generation-id')
  const cancelled = await eventually(async () => {
    const answer = await api(gateway, `/generation/${id}`)
    return answer.status === 200 ? answer.body.data : undefined
  })
  expect(cancelled).toMatchObject({ cancelled: true, finish_reason: null })
  expect((await api(gateway, '/activity')).body.data).toMatchObject([{ endpoint_id: null, provider_name: null }])
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

  expect((await api(gateway, '/keys', operator)).body.data.map(({ name }: { name: string }) => name)).toEqual([
    'renamed',
    'test',
  ])
  expect((await api(gateway, '/keys?offset=1', operator)).body.data).toMatchObject([{ name: 'test' }])
  expect((await api(gateway, `/keys/${data.hash}`, operator, send('DELETE'))).body).toEqual({ deleted: true })
  expect(await apiChat(gateway, {}, bearer({ key })).status()).toBe(401)
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
  expect((await post({ name: 'x', account: 'other' })).body.data.workspace_id).toMatch(/^acc_/)
  expect((await api(gateway, `/keys/${hashOf('nobody')}`, operator)).status).toBe(404)
  const { hash } = (await api(gateway, '/keys?account=test', operator)).body.data[0]
  const paused = await api(gateway, `/keys/${hash}`, operator, send('PATCH', { disabled: true }))
  expect([paused.status, paused.body.error.message]).toEqual([400, expect.stringContaining('cannot be paused')])
})

test('of whoever keeps nothing, counts and money alone are recorded', async () => {
  await using provider = await scriptedProvider()
  const of = { id: 'mock', data: { retention: 'none', training: false } }
  await using gateway = await startGateway({ offers: { m1: [{ provider, of }] } })
  const refusal = { error: { message: 'their secret word', code: 'their_secret_code', type: 'invalid_request_error' } }
  provider.script(status(200, completionBody('yes', 100, 10), { 'x-request-id': 'their-1' }), status(400, refusal))
  expect((await gateway.admin('PATCH', '/accounts/test', { zdr: true })).status).toBe(200)
  const headers = { ...bearer(gateway), 'x-title': 'My app', 'x-request-id': 'my-own-id', 'user-agent': 'my-agent/1' }
  for (const wanted of [200, 400]) {
    const answer = apiChat(gateway, {}, headers)
    expect(await answer.status()).toBe(wanted)
    const { body } = await api(gateway, `/generation/${(await answer.head()).header('x-generation-id')}`)
    const told = { client_request_id: null, user_agent: null, app_title: null, upstream_id: null, status: wanted }
    expect(body.data).toMatchObject(told)
  }
  const records = JSON.stringify((await gateway.admin('GET', '/records')).body)
  for (const word of ['My app', 'my-own-id', 'my-agent', 'their-1', 'their_secret_code', 'their secret word'])
    expect([word, records.includes(word), gateway.logs().includes(word)]).toEqual([word, false, false])
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
  if (executable === null) return
  await gateway.killAndRestart()
  expect((await api(gateway, '/activity')).body).toEqual(before)
  for (const file of ['records.db', 'records.db-wal', 'records.db-shm'])
    rmSync(join(gateway.dataFolder, file), { force: true })
  await gateway.killAndRestart()
  expect((await api(gateway, '/activity')).body).toEqual(before)
})

function completionBody(content: string, promptTokens: number, completionTokens: number): object {
  const message = { role: 'assistant', content }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'theirs',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  }
}

test('a report is at /api/v1 alone', async () => {
  await using gateway = await startGateway({ offers: {} })
  for (const path of ['/v1/credits', '/v1/key', '/v1/activity', '/v1/keys']) {
    const answer = await fetch(gateway.origin + path, { headers: bearer(gateway) })
    expect(answer.status).toBe(404)
    await answer.arrayBuffer()
  }
})

test('prompts and answers are kept for an account that asked for it, sealed, and for nobody else', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    completion('unkept words', 10, 1),
    completion('kept words', 10, 1),
    sse(role(), text('streamed words'), usage(10, 1), finish()),
    completion('zero words', 10, 1),
  )
  const say = async (words: string, fields: object = {}): Promise<string> => {
    const answer = apiChat(gateway, { messages: [{ role: 'user', content: words }], ...fields })
    await answer.text()
    return (await answer.head()).header('x-generation-id') ?? ''
  }
  const contentOf = (id: string, headers = bearer(gateway)) => api(gateway, `/generation/content?id=${id}`, headers)
  const kept = (id: string) =>
    eventually(async () => {
      const answer = await contentOf(id)
      return answer.status === 200 ? answer.body.data : undefined
    })
  const before = await say('before it was on')
  expect((await gateway.admin('PATCH', '/accounts/test', { store_content: true })).body.store_content).toBe(true)
  const plain = await say('a plain question')
  const stream = await say('a streamed question', { stream: true })
  expect(await kept(plain)).toMatchObject({
    id: plain,
    input: { messages: [{ content: 'a plain question' }] },
    output: { choices: [{ message: { content: 'kept words' } }] },
    is_cut: false,
  })
  const streamed = await kept(stream)
  expect(streamed).toMatchObject({ streamed: true, input: { stream: true } })
  expect(streamed.output).toContain('streamed words')
  expect((await contentOf(before)).status).toBe(404)
  const theirs = await otherAccount(gateway)
  expect((await contentOf(plain, theirs)).status).toBe(404)

  expect((await gateway.admin('PATCH', '/accounts/test', { zdr: true })).status).toBe(200)
  provider.script(completion('zero words', 10, 1))
  const zero = await say('zero retention')
  expect((await contentOf(zero)).status).toBe(404)
  for (const file of ['records.db', 'records.db-wal']) {
    const bytes = readFileSync(join(gateway.dataFolder, file), 'latin1')
    for (const words of ['plain question', 'kept words', 'streamed words', 'zero words', 'unkept words'])
      expect([file, words, bytes.includes(words)]).toEqual([file, words, false])
  }
})
