import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { adminOverPort } from '../support/admin-client.ts'
import { readExposition } from '../support/exposition.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { executable, runGateway } from '../support/run-gateway.ts'
import { gate, reset, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { chat, eventually, recordOf, streamChat } from '../support/wire-chat.ts'

const SCRAPE = /text\/plain; version=0\.0\.4/

async function readerOf(gateway: TestGateway, scopes: readonly string[] = ['read']): Promise<string> {
  const { status: made, body } = await gateway.admin('POST', '/management-keys', { name: 'prometheus', scopes })
  expect(made).toBe(201)
  return body.secret
}

const ask = (gateway: TestGateway, secret?: string): Promise<Response> =>
  fetch(`${gateway.origin}/metrics`, secret === undefined ? {} : { headers: bearer({ key: secret }) })

async function scrapeOf(gateway: TestGateway, secret: string) {
  const answer = await ask(gateway, secret)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(SCRAPE)
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  return readExposition(await answer.text())
}

describe('what happens is counted', () => {
  test('a fallback, a stream, a request that nobody could serve', async () => {
    await using bad = await scriptedProvider()
    await using good = await scriptedProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider: bad }, { provider: good }], m2: [{ provider: bad, price: null }] },
    })
    const secret = await readerOf(gateway)
    bad.script(status(500, 'no'))
    good.script(completion('ok', 1, 1), sse(role(), text('Hel'), gate('half'), finish(), usage(1, 1), done()))
    expect(await chat(gateway).status()).toBe(200)
    const stream = streamChat(gateway)
    await stream.until('Hel')

    const during = await scrapeOf(gateway, secret)
    expect(during.value('anyrouter_requests_in_flight')).toBe(1)
    expect(during.value('anyrouter_streams_in_flight')).toBe(1)
    expect(during.value('anyrouter_holds_open')).toBe(1)
    expect(during.value('anyrouter_slots_taken', { backend: 'b1' })).toBe(1)
    expect(during.value('anyrouter_connections', { backend: 'b1', state: 'busy' })).toBe(1)

    good.release('half')
    await recordOf(gateway, await stream.head())
    expect(await chat(gateway, { model: 'm2' }).status()).toBe(503)
    const scrape = await eventually(async () => {
      const now = await scrapeOf(gateway, secret)
      return now.value('anyrouter_writer_queued') === 0 ? now : undefined
    })
    const operation = 'chat.completions'
    expect(scrape.value('anyrouter_requests_total', { operation, status: '200' })).toBe(2)
    expect(scrape.value('anyrouter_requests_total', { operation, status: '503' })).toBe(1)
    expect(scrape.value('anyrouter_attempts_total', { backend: 'b0', outcome: 'failed' })).toBe(2)
    expect(scrape.value('anyrouter_attempts_total', { backend: 'b1', outcome: 'succeeded' })).toBe(2)
    expect(scrape.value('anyrouter_skips_total', { rule: 'priced' })).toBe(1)
    expect(scrape.value('anyrouter_first_content_seconds_count', { backend: 'b1' })).toBe(1)
    expect(scrape.value('anyrouter_gw_seconds_count')).toBe(3)
    expect(scrape.value('anyrouter_gw_stage_seconds_count', { stage: 'route' })).toBe(3)
    expect(scrape.value('anyrouter_requests_in_flight')).toBe(0)
    expect(scrape.value('anyrouter_holds_open')).toBe(0)
    expect(scrape.value('anyrouter_slots', { backend: 'b1' })).toBe(64)
    expect(scrape.value('anyrouter_connections', { backend: 'b1', state: 'idle' })).toBe(1)
    expect(scrape.value('anyrouter_writer_batches_total')).toBeGreaterThan(0)
    expect(scrape.value('anyrouter_writer_accepting')).toBe(1)
    expect(scrape.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(scrape.types.get('anyrouter_event_loop_lag_seconds')).toBe('histogram')
  })

  test('a resend; a backend that an operator takes out', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const secret = await readerOf(gateway)
    provider.script(completion('ok', 1, 1), script(reset()), completion('ok', 1, 1))
    expect(await chat(gateway).status()).toBe(200)
    expect(await chat(gateway).status()).toBe(200)
    expect((await gateway.admin('PUT', '/quarantine/b0', { reason: 'maintenance' })).status).toBe(200)
    expect(await chat(gateway).status()).toBe(503)
    const scrape = await scrapeOf(gateway, secret)
    expect(scrape.value('anyrouter_resends_total', { backend: 'b0' })).toBe(1)
    expect(scrape.value('anyrouter_connections_opened_total', { backend: 'b0' })).toBe(2)
    expect(scrape.value('anyrouter_attempts_total', { backend: 'b0', outcome: 'succeeded' })).toBe(2)
    expect(scrape.value('anyrouter_backend_quarantined', { backend: 'b0', cause: 'operator' })).toBe(1)
    expect(scrape.value('anyrouter_backend_quarantined', { backend: 'b0', cause: 'failures' })).toBe(0)
    expect(scrape.value('anyrouter_quarantine_rows')).toBe(1)
    expect(scrape.value('anyrouter_skips_total', { rule: 'quarantined' })).toBe(1)
  })

  test('nothing that a caller or a provider says becomes a series', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const secret = await readerOf(gateway)
    const said = { error: { message: 'canary-message', type: 'canary_type', code: 'canary_code' } }
    provider.script(status(418, said, { 'content-type': 'application/json' }))
    expect(
      await chat(gateway, { user: 'canary-user' }, { ...bearer(gateway), 'x-request-id': 'canary-id' }).status(),
    ).toBe(418)
    const before = (await scrapeOf(gateway, secret)).values.size
    for (let number = 0; number < 20; number++) {
      expect(await chat(gateway, { model: `canary-${number}` }).status()).toBe(404)
      await fetch(`${gateway.origin}/canary-${number}`)
    }
    const after = await scrapeOf(gateway, secret)
    expect([...after.values.keys()].filter((series) => series.includes('canary'))).toEqual([])
    expect(after.values.size).toBe(before + 2) // requests with status 404, errors model_not_found
  })
})

describe('who may see them', () => {
  test('a management key with the scope read', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    expect((await ask(gateway)).status).toBe(401)
    expect((await ask(gateway, gateway.key)).status).toBe(401)
    const refused = await ask(gateway, await readerOf(gateway, ['write', 'credits']))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_scope' } })
    const secret = await readerOf(gateway)
    expect((await ask(gateway, secret)).status).toBe(200)
    expect((await adminOverPort(gateway.origin, secret)('GET', '/slots')).status).toBe(200)
    expect((await fetch(`${gateway.origin}/metrics`, { method: 'POST' })).status).toBe(405)
  })

  test('everybody who reaches a listener of their own, which has nothing else', async () => {
    await using provider = await scriptedProvider()
    const offers = { m1: [{ provider }] }
    await using gateway = await startGateway({ offers, yaml: { metrics: { listen: '127.0.0.1:0' } } })
    const origin = await eventually(async () => /"metrics":"(http:[^"]+)"/.exec(gateway.logs())?.[1])
    expect(origin).not.toBe(gateway.origin)
    const answer = await fetch(`${origin}/metrics`)
    expect(answer.headers.get('content-type')).toMatch(SCRAPE)
    expect(
      readExposition(await answer.text()).value('anyrouter_build_info', {
        version: executable === null ? 'test' : '0.1.0',
      }),
    ).toBe(1)
    for (const path of ['/', '/metrics/', '/healthz', '/admin/v1/slots', '/v1/models'])
      expect((await fetch(origin + path)).status).toBe(404)
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405)

    gateway.configure({ offers, yaml: { metrics: { listen: 'off' } } })
    const { body } = await gateway.admin('POST', '/config/reload')
    expect(body).toMatchObject({ settings: [], restart_needed: ['metrics.listen'] })
    expect((await fetch(`${origin}/metrics`)).status).toBe(200)
    await gateway.stop()
    expect(
      await fetch(`${origin}/metrics`).then(
        () => 'listens',
        () => 'gone',
      ),
    ).toBe('gone')
  })

  test('an address that is taken ends the start, with what to do, and leaves no folder behind', async () => {
    await using provider = await scriptedProvider()
    using folder = temporaryFolder()
    const configPath = folder.at('anyrouter.yaml')
    const dataFolder = folder.at('data')
    const listen = `127.0.0.1:${provider.port}`
    writeFileSync(configPath, `metrics: { listen: "${listen}" }\n`)
    const failure = await runGateway({ configPath, dataFolder }).then(
      () => null,
      (error: unknown) => String(error),
    )
    expect(failure).toContain(`metrics.listen: ${listen} cannot be listened on (EADDRINUSE): choose another`)
    expect(existsSync(dataFolder)).toBe(false)
  })
})
