import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bearer, startGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { timingIn } from '../support/server-timing.ts'
import { completion, finish, role, sse, text, usage } from '../support/sse.ts'
import { apiChat, apiStream } from '../support/wire-api-v1.ts'
import { eventually } from '../support/wire-chat.ts'
import { api, COST, completionBody, managementKey, otherAccount } from '../support/wire-reports.ts'

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
  const printed = timingIn((await answer.head()).header('server-timing'))
  for (const [name, ms] of Object.entries({ gw, upstream, post, total }))
    expect(Math.abs((printed.get(name) ?? 0) - ms * 100)).toBeLessThanOrEqual(1) // rounded so that sums hold
  expect(Object.values<number>(stages).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(gw, 6)
  for (const name of [id, body.data.request_id]) expect((await api(gateway, `/generation/${name}`)).body).toEqual(body)

  const theirs = await otherAccount(gateway)
  for (const path of [`/generation/${id}`, `/generation?id=${id}`, `/generation/${body.data.request_id}`])
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
  expect(body.data).toMatchObject({
    streamed: true,
    cancelled: false,
    finish_reason: 'length',
    provider_name: 'anyrouter',
  })
  expect(body.data.provider_responses).toMatchObject([{ provider_name: 'anyrouter' }])
  const left = apiStream(gateway)
  await left.until('b')
  left.hangUp()
  const id = (await left.head()).header('x-generation-id')
  const cancelled = await eventually(async () => {
    const answer = await api(gateway, `/generation/${id}`)
    return answer.status === 200 ? answer.body.data : undefined
  })
  expect(cancelled).toMatchObject({ cancelled: true, finish_reason: null })
  expect((await api(gateway, '/activity')).body.data).toMatchObject([
    { endpoint_id: 'anyrouter', provider_name: 'anyrouter' },
  ])
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
    output: { completion: 'kept words', reasoning: null },
    error: null,
    answer: { choices: [{ message: { content: 'kept words' } }] },
    is_cut: false,
  })
  const streamed = await kept(stream)
  expect(streamed).toMatchObject({ streamed: true, input: { stream: true } })
  expect(streamed.output).toEqual({ completion: 'streamed words', reasoning: null })
  expect(streamed.answer).toContain('streamed words')
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
