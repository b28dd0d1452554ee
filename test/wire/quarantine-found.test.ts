import { expect, test } from 'bun:test'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { gate, json, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, eventually, recordOf, streamChat } from '../support/wire-chat.ts'

const LIMITED = status(429, '', { 'retry-after': '30' })
const NO_PROBES = { quarantine: { probe: false } }
const QUIET = { ping: 'off' } // what reaches the provider is counted
const offer = (provider: { readonly origin: string }) => ({ provider, backend: QUIET })

const listed = async (gateway: TestGateway) => (await gateway.admin('GET', '/quarantine')).body.data
const healthOf = async (gateway: TestGateway, backend = 'b0') =>
  (await gateway.admin('GET', `/backends/${backend}`)).body.health

test('a backend that fails five times in a row is out: told with its evidence, known after a restart, cleared by an operator', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, yaml: NO_PROBES })
  provider.script(status(502))
  for (let at = 0; at < 5; at++) expect((await errorOf(chat(gateway))).code).toBe('provider_failed')

  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 503, code: 'no_backend' })
  expect(Number(error.head.header('retry-after'))).toBeWithin(1, 16)
  expect(error.message).not.toContain('502')
  expect(provider.requests).toHaveLength(5)
  const [row] = await listed(gateway)
  expect(row).toMatchObject({
    backend: 'b0',
    state: 'out',
    cause: 'failures',
    by: null,
    causes: [{ cause: 'failures', count: 5, streak: 5, last_status: 502, backoff_ms: 15_000 }],
  })
  expect(row.causes[0].reason).toBe('failed (status): answered with status 502')
  expect(await healthOf(gateway)).toBe('out')
  await eventually(async () => gateway.logs().includes('"backend_out"') || undefined)

  await gateway.restart()
  const [loaded] = await listed(gateway)
  expect(loaded.causes).toEqual(row.causes)
  expect((await errorOf(chat(gateway))).status).toBe(503)
  expect(provider.requests).toHaveLength(5)

  expect((await gateway.admin('DELETE', '/quarantine/b0')).status).toBe(200)
  provider.script(completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
  expect(await listed(gateway)).toEqual([])
  const { data } = (await gateway.admin('GET', '/audit?subject=b0')).body
  expect(data).toMatchObject([{ action: 'quarantine.clear', details: { causes: ['failures'] } }])
  await gateway.restart()
  expect(await listed(gateway)).toEqual([])
})

test('when its time is over one request tries it; those beside it wait, and are served when it was', async () => {
  await using provider = await scriptedProvider()
  const yaml = { quarantine: { probe: false, cooldown_ms: 200 } }
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, yaml })
  provider.script(status(500))
  for (let at = 0; at < 5; at++) await chat(gateway).status()
  await eventually(async () => ((await healthOf(gateway)) === 'half_open' ? true : undefined))
  provider.script(script(gate('trial'), completion('ok', 1, 1)), completion('ok', 1, 1))
  const trial = chat(gateway)
  await provider.reached('trial')
  const beside = [chat(gateway), chat(gateway)]
  await eventually(async () => {
    const { body } = await gateway.admin('GET', '/backends/b0')
    return body.slots_busy === 1 && (await listed(gateway)).length === 1 ? true : undefined
  })
  expect(provider.requests).toHaveLength(6)
  provider.release('trial')
  for (const answer of [trial, ...beside]) expect(await answer.status()).toBe(200)
  expect(await listed(gateway)).toEqual([])
  expect(provider.requests).toHaveLength(8)
})

test('a Retry-After is obeyed: the credential is passed over, and the backend when none is left', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [offer(provider)] },
    credentials: ['sk-first', 'sk-second'],
    yaml: NO_PROBES,
  })
  provider.script(LIMITED, completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(provider.requests.map((request) => request.header('authorization'))).toEqual([
    'Bearer sk-first',
    'Bearer sk-second',
    'Bearer sk-second',
  ])
  expect(await listed(gateway)).toMatchObject([
    {
      state: 'in',
      cause: null,
      causes: [{ cause: 'credential_throttled', credential: 'main', source: 'retry_after', last_status: 429 }],
    },
  ])
  provider.script(LIMITED)
  expect((await errorOf(chat(gateway))).status).toBe(429)
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 503, code: 'no_backend' })
  expect(Number(error.head.header('retry-after'))).toBeWithin(25, 31)
  expect(provider.requests).toHaveLength(4)
  const [row] = await listed(gateway)
  expect(row).toMatchObject({ state: 'out', cause: 'credentials' })
  expect(JSON.stringify(row)).not.toContain('sk-')
})

test('a key that is refused is passed over until it is changed: then at once', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, yaml: NO_PROBES })
  provider.script(json(401, { error: { message: 'no such key' } }))
  expect((await errorOf(chat(gateway))).code).toBe('upstream_credentials_rejected')
  expect((await errorOf(chat(gateway))).code).toBe('no_backend')
  expect(provider.requests).toHaveLength(1)
  gateway.changeSecret('sk-renewed')
  expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
  provider.script(completion('ok', 1, 1))
  expect(await chat(gateway).status()).toBe(200)
})

test('a client’s mistakes and a client that leaves take nothing out', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, yaml: NO_PROBES })
  provider.script(json(400, { error: { message: 'no' } }))
  for (let at = 0; at < 8; at++) expect(await chat(gateway).status()).toBe(400)
  provider.script(script(gate('wait'), completion('ok', 1, 1)))
  for (let at = 0; at < 8; at++) {
    const answer = streamChat(gateway)
    await provider.reached('wait')
    answer.hangUp()
    await eventually(async () => {
      const { body } = await gateway.admin('GET', '/backends/b0')
      return body.slots_busy === 0 ? true : undefined
    })
    provider.release('wait')
  }
  expect(await listed(gateway)).toEqual([])
})

test('the least bad is tried where the operator wants it', async () => {
  await using provider = await scriptedProvider()
  const yaml = { quarantine: { probe: false, least_bad: true } }
  await using gateway = await startGateway({ offers: { m1: [offer(provider), offer(provider)] }, yaml })
  provider.script(status(500))
  for (let at = 0; at < 5; at++) await chat(gateway).status()
  expect([await healthOf(gateway, 'b0'), await healthOf(gateway, 'b1')]).toEqual(['out', 'out'])
  provider.script(completion('ok', 1, 1))
  const answer = chat(gateway)
  expect(await answer.status()).toBe(200)
  const { attempts, skips } = await recordOf(gateway, await answer.head())
  expect(attempts).toHaveLength(1)
  expect(skips).toMatchObject([{ rule: 'quarantined' }])
  expect([await healthOf(gateway, 'b0'), await healthOf(gateway, 'b1')].sort()).toEqual(['in', 'out'])
})

test('an unreachable backend is in again without any request, once it answers a question that costs no tokens', async () => {
  const gone = await scriptedProvider()
  const { origin } = gone
  await gone[Symbol.asyncDispose]()
  const yaml = { quarantine: { cooldown_ms: 100 } }
  await using gateway = await startGateway({ offers: { m1: [{ provider: gone }] }, yaml })
  for (let at = 0; at < 5; at++) await chat(gateway).status()
  expect(await listed(gateway)).toMatchObject([{ causes: [{ cause: 'failures' }] }])
  const back = Bun.serve({
    port: Number(new URL(origin).port),
    hostname: '127.0.0.1',
    fetch: () => Response.json({ data: [] }),
  })
  try {
    await eventually(async () => ((await listed(gateway)).length === 0 ? true : undefined))
  } finally {
    await back.stop(true)
  }
})

test('a backend that is given another address begins anew', async () => {
  await using provider = await scriptedProvider()
  await using other = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [offer(provider)] }, yaml: NO_PROBES })
  provider.script(status(500))
  for (let at = 0; at < 5; at++) await chat(gateway).status()
  expect(await healthOf(gateway)).toBe('out')
  other.script(completion('ok', 1, 1))
  gateway.configure({ offers: { m1: [offer(other)] }, yaml: NO_PROBES })
  expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
})
