import { expect, test } from 'bun:test'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { gate, json, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { balanceOf, chat, errorOf, eventually, recordOf, streamChat } from '../support/wire-chat.ts'

const OK = completion('ok', 1, 1)
const DENIED = json(401, { error: { message: 'no such key' } })
const YAML = { quarantine: { probe: false } }
const offer = (provider: { readonly origin: string }, more: object = {}) => ({
  provider,
  backend: { ping: 'off' }, // what reaches the provider is counted
  ...more,
})

const path = (gateway: TestGateway) => `/accounts/${gateway.account}/credentials`

async function bring(gateway: TestGateway, name: string, secret: string): Promise<string> {
  const made = await gateway.admin('POST', path(gateway), { provider: 'mock', name, secret })
  expect(made.status).toBe(201)
  return made.body.id
}

const faultOf = async (gateway: TestGateway, id: string) =>
  (await gateway.admin('GET', `${path(gateway)}/${id}`)).body.fault

const shownTo = (provider: { readonly requests: readonly { header(name: string): string | null | undefined }[] }) =>
  provider.requests.map((request) => request.header('authorization'))

test('an own credential is used first and nothing is charged, for a plain answer and for a stream; its record names it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, balanceUsd: '0.000001', yaml: YAML })
  provider.script(OK)
  expect((await errorOf(chat(gateway))).status).toBe(402)
  const id = await bring(gateway, 'one', 'own-one')

  const plain = chat(gateway, {}, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
  expect(await plain.status()).toBe(200)
  const explained = JSON.parse((await plain.head()).header('x-anyrouter-explain') ?? '')
  expect(explained).toMatchObject({
    plan: [{ offer: 'b0/m1', credential: id }],
    skips: [{ rule: 'unaffordable' }],
    attempts: [{ credential: id, outcome: 'succeeded' }],
  })
  expect(await recordOf(gateway, await plain.head())).toMatchObject({
    attempts: [{ credential: id, outcome: 'succeeded' }],
    settlement: { end: 'settled', cost_nano: 0, charged_nano: 0, held_nano: 0, usage: { input: 1, output: 1 } },
  })

  const stream = streamChat(gateway)
  expect(await stream.status()).toBe(200)
  await stream.text()
  const told = JSON.parse(await apiChat(gateway).text())
  expect(told.usage).toMatchObject({ is_byok: true, cost: 0 })
  expect(shownTo(provider)).toEqual(['Bearer own-one', 'Bearer own-one', 'Bearer own-one'])
  const { body } = await gateway.admin('GET', `/accounts/${gateway.account}`)
  expect(body.available_usd).toBe('0.000001')
})

test('an own credential that is refused is in fault at once: the operator’s serves, charged; no backend is blamed; a restart keeps it, a new secret ends it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [offer(provider)] },
    credentials: ['operators'],
    yaml: YAML,
  })
  const id = await bring(gateway, 'one', 'own-one')
  provider.script(DENIED, OK)
  const answer = chat(gateway)
  expect(await answer.status()).toBe(200)
  expect(shownTo(provider)).toEqual(['Bearer own-one', 'Bearer operators'])
  const record = await recordOf(gateway, await answer.head())
  expect(record.attempts).toMatchObject([
    { credential: id, outcome: 'denied' },
    { credential: 'main', outcome: 'succeeded' },
  ])
  expect(record.settlement.charged_nano).toBeGreaterThan(0)
  const fault = await eventually(async () => (await faultOf(gateway, id)) ?? undefined)
  expect(fault).toMatchObject({ cause: 'denied', reason: 'denied: status 401' })
  expect(fault.until_ms - fault.since_ms).toBeWithin(12_000, 15_001)
  expect((await gateway.admin('GET', '/quarantine')).body.data).toEqual([])

  const passed = chat(gateway)
  expect(await passed.status()).toBe(200)
  expect((await recordOf(gateway, await passed.head())).skips).toMatchObject([
    { offer: 'b0/m1', credential: id, rule: 'own-credential', evidence: expect.stringContaining('status 401') },
  ])
  await gateway.restart()
  expect(await faultOf(gateway, id)).toEqual(fault)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).slice(2)).toEqual(['Bearer operators', 'Bearer operators'])

  expect((await gateway.admin('PATCH', `${path(gateway)}/${id}`, { secret: 'own-two' })).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).at(-1)).toBe('Bearer own-two')
  expect(await faultOf(gateway, id)).toBeNull()
  for (const secret of ['own-one', 'own-two']) expect(gateway.logs()).not.toContain(secret)
})

test('several of one provider: in the order of their creation; Retry-After is obeyed; off or deleted they are used no more from the next request on', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [offer(provider)] },
    credentials: ['operators'],
    yaml: YAML,
  })
  provider.script(OK)
  expect(await chat(gateway).status()).toBe(200) // what the account has is in memory
  const first = await bring(gateway, 'z', 'own-first')
  const second = await bring(gateway, 'a', 'own-second')
  provider.script(status(429, '', { 'retry-after': '30' }), OK)
  expect(await chat(gateway).status()).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).slice(1)).toEqual(['Bearer own-first', 'Bearer own-second', 'Bearer own-second'])
  const fault = await eventually(async () => (await faultOf(gateway, first)) ?? undefined)
  expect(fault.cause).toBe('throttled')
  expect(fault.until_ms - fault.since_ms).toBe(30_000)

  const plan = await gateway.admin('POST', '/route', { model: 'm1', account: gateway.account })
  expect(plan.body.candidates).toMatchObject([{ backend: 'b0', credential: second }, { backend: 'b0' }])
  expect(plan.body.skips).toMatchObject([{ credential: first, rule: 'own-credential' }])

  expect((await gateway.admin('PATCH', `${path(gateway)}/${second}`, { enabled: false })).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).at(-1)).toBe('Bearer operators')
  expect((await gateway.admin('PATCH', `${path(gateway)}/${second}`, { enabled: true })).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).at(-1)).toBe('Bearer own-second')
  expect((await gateway.admin('DELETE', `${path(gateway)}/${second}`)).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).at(-1)).toBe('Bearer operators')
})

test('failures with an own credential leave the backend’s row alone; an offer without a price serves an own credential', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider, { price: null })] }, yaml: YAML })
  const id = await bring(gateway, 'one', 'own-one')
  provider.script(status(502))
  for (let at = 0; at < 5; at++) expect((await errorOf(chat(gateway))).code).toBe('provider_failed')
  expect(await eventually(async () => (await faultOf(gateway, id)) ?? undefined)).toMatchObject({ cause: 'failures' })
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 503, code: 'no_backend' })
  expect(Number(error.head.header('retry-after'))).toBeWithin(1, 16)
  expect(provider.requests).toHaveLength(5)
  expect((await gateway.admin('GET', '/quarantine')).body.data).toEqual([])
})

test('a failing backend is not asked once more with another own credential; a refused one is told as the account’s own', async () => {
  await using provider = await scriptedProvider()
  await using other = await scriptedProvider()
  const offers = { m1: [offer(provider, { price: null }), offer(other, { price: null })] }
  await using gateway = await startGateway({ offers, yaml: YAML })
  await bring(gateway, 'one', 'own-one')
  await bring(gateway, 'two', 'own-two')
  provider.script(status(502))
  other.script(OK)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider)).toEqual(['Bearer own-one'])
  expect(shownTo(other)).toEqual(['Bearer own-one'])

  provider.script(DENIED)
  const error = await errorOf(chat(gateway))
  expect(error.code).toBe('upstream_credentials_rejected')
  expect(error.message).toContain('the own credential of your account')
  expect(shownTo(provider).slice(1)).toEqual(['Bearer own-one', 'Bearer own-two'])
  expect(shownTo(other)).toHaveLength(1) // refused by its provider at one backend, it is shown at no other
})

test('a fee on own credentials: a share of the price, held and charged exactly, for plain answers and streams', async () => {
  await using provider = await scriptedProvider()
  const yaml = { ...YAML, money: { byok_fee_bps: 500 } }
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, balanceUsd: '0.0001', yaml }) // not enough for the operator's
  const id = await bring(gateway, 'one', 'own-one')
  provider.script(completion('ok', 10, 7))
  const plain = chat(gateway)
  expect(await plain.status()).toBe(200)
  const fee = Math.ceil((10 * 4000 + 7 * 10_000) / 20)
  expect(await recordOf(gateway, await plain.head())).toMatchObject({
    attempts: [{ credential: id }],
    settlement: { cost_nano: fee, charged_nano: fee, held_nano: (3 * 4000 + 16 * 10_000) / 20 },
  })
  provider.script(sse(role(), text('Hi'), finish(), usage(3, 1), done()))
  await streamChat(gateway).text()
  const streamed = (3 * 4000 + 10_000) / 20
  expect(await eventually(async () => (await balanceOf(gateway)) === 100_000 - fee - streamed || undefined)).toBe(true)
  const used = await eventually(async () => {
    const { data } = (await gateway.admin('GET', '/usage?by=owner&cost=1')).body
    return data[0]?.requests === 2 ? data : undefined
  })
  expect(used).toMatchObject([{ owner: 'account', charged_nano: String(fee + streamed), expense_nano: '0' }])
})

test('an account that does not fall back gets the error of its own credential, and a route that says so', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [offer(provider)] },
    credentials: ['operators'],
    yaml: YAML,
  })
  await bring(gateway, 'one', 'own-one')
  const changed = await gateway.admin('PATCH', `/accounts/${gateway.account}`, { byok_fallback: 'never' })
  expect(changed.body).toMatchObject({ byok_fallback: 'never' })
  provider.script(DENIED, OK)
  expect((await errorOf(chat(gateway))).code).toBe('upstream_credentials_rejected')
  expect(shownTo(provider)).toEqual(['Bearer own-one'])
  const plan = await gateway.admin('POST', '/route', { model: 'm1', account: gateway.account })
  expect(plan.body.skips).toMatchObject([{ rule: 'own-only' }, { rule: 'own-credential' }])
  expect((await errorOf(chat(gateway))).status).toBe(503)
  expect(provider.requests).toHaveLength(1)
  await gateway.restart()
  expect((await gateway.admin('GET', `/accounts/${gateway.account}`)).body.byok_fallback).toBe('never')
})

test('the master key is rotated while requests with own credentials go on; a restart and a second rotation find everything', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider, { price: null })] }, yaml: YAML })
  for (const name of ['one', 'two', 'three']) await bring(gateway, name, `own-${name}`)
  provider.script(OK)
  const asked = Promise.all(Array.from({ length: 40 }, () => chat(gateway).status()))
  expect((await gateway.admin('POST', '/master-key/rotate')).body).toEqual({ resealed: 3, unreadable: 0 })
  expect(new Set(await asked)).toEqual(new Set([200]))
  expect(await chat(gateway).status()).toBe(200)
  await gateway.restart()
  expect(await chat(gateway).status()).toBe(200)
  expect((await gateway.admin('POST', '/master-key/rotate')).body).toEqual({ resealed: 3, unreadable: 0 })
  expect(await chat(gateway).status()).toBe(200)
  expect(new Set(shownTo(provider))).toEqual(new Set(['Bearer own-one']))
  const { data } = (await gateway.admin('GET', path(gateway))).body
  expect(data.every(({ readable }: { readable: boolean }) => readable)).toBe(true)
  const { data: rows } = (await gateway.admin('GET', '/audit?action=master_key.rotate')).body
  expect(rows.map(({ subject }: { subject: string }) => subject)).toEqual(['master key 3', 'master key 2'])
})

test('an own credential whose time of waiting is over is tried by one request; others are served by the operator’s meanwhile', async () => {
  await using provider = await scriptedProvider()
  const yaml = { quarantine: { probe: false, cooldown_ms: 1000 } }
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, credentials: ['operators'], yaml })
  const id = await bring(gateway, 'one', 'own-one')
  provider.script(DENIED, OK)
  expect(await chat(gateway).status()).toBe(200)
  const untilMs = (await eventually(async () => (await faultOf(gateway, id)) ?? undefined)).until_ms
  await eventually(async () => Date.now() > untilMs || undefined)
  provider.script(script(gate('trial'), OK), OK)
  const trial = chat(gateway)
  await provider.reached('trial')
  for (let at = 0; at < 3; at++) expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).slice(2)).toEqual([
    'Bearer own-one',
    'Bearer operators',
    'Bearer operators',
    'Bearer operators',
  ])
  provider.release('trial')
  expect(await trial.status()).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(shownTo(provider).at(-1)).toBe('Bearer own-one')
})
