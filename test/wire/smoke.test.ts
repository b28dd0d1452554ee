import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { blockEnd, message, messageStop, SPEAKS, said, start, stopped, textBlock } from '../support/anthropic.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { gate, hang, json, refuse, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PLAIN = completion('ready', 20, 1)
const STREAM = sse(role(), text('ready'), finish(), usage(20, 1), done())
const ENDLESS = sse(role(), text('1'), hang())
const WELL = [PLAIN, STREAM, ENDLESS, PLAIN]

const run = ({ dataFolder }: TestGateway, ...words: string[]) => runCommand(['smoke', ...words, '--data', dataFolder])

async function reportsOf(gateway: TestGateway, ...words: string[]) {
  const { code, said, complained } = await run(gateway, ...words, '--json')
  if (said === '') throw new Error(complained)
  return { code, ...JSON.parse(said) }
}

describe('a backend that is well', () => {
  test('plain, stream, hang-up and four at once: by the pipeline itself, with timing and cost each', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider, price: { input: '4', output: '10' } }] } })
    provider.script(...WELL)
    const { code, ok, backends } = await reportsOf(gateway)
    expect({ code, ok }).toEqual({ code: 0, ok: true })
    expect(backends).toMatchObject([{ backend: 'b0', model: 'm1', ok: true }])
    const { probes } = backends[0]
    const kinds = probes.map(({ kind, outcome }: { kind: string; outcome: string }) => `${kind} ${outcome}`)
    const several = Array.from({ length: 4 }, () => 'several succeeded')
    expect(kinds).toEqual(['plain succeeded', 'stream succeeded', 'hang_up cancelled', ...several])
    expect(probes[0]).toMatchObject({
      status: 200,
      connection: 'new',
      cost_nano: 20 * 4000 + 10_000,
      usage: { input: 20, output: 1 },
    })
    expect(probes[1]).toMatchObject({ connection: 'kept', cost_nano: 90_000 })
    expect(probes[2].cost_nano).toBeGreaterThan(0)
    for (const { timing } of probes) {
      expect(timing.gw_us + timing.upstream_us + timing.post_us).toBe(timing.total_us)
      expect(timing.upstream_us).toBeGreaterThan(0)
    }
    await provider.peerClosed(3)
    expect(provider.requests.map((request) => request.json())).toMatchObject([
      { model: 'provider-m1', max_tokens: 16 },
      { stream: true },
      { stream: true, max_tokens: 256 },
      { max_tokens: 16 },
      {},
      {},
      {},
    ])
  })

  test('one of Anthropic’s dialect is asked in it', async () => {
    const begun = [start(), textBlock(), said('ready')]
    const whole = sse(...begun, blockEnd(), stopped(1), messageStop())
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider, backend: SPEAKS }] } })
    provider.script(message('ready'), whole, sse(...begun, hang()), message('ready'))
    const { ok, backends } = await reportsOf(gateway)
    expect(ok).toBe(true)
    const outcomes = backends[0].probes.map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes.slice(0, 3)).toEqual(['succeeded', 'succeeded', 'cancelled'])
    expect(new Set(provider.requests.map(({ target }) => target))).toEqual(new Set(['/v1/messages']))
  })

  test('who paid is an account of its own, by a key that is gone afterwards; all of it is in the audit', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(...WELL)
    expect((await run(gateway)).code).toBe(0)
    provider.script(...WELL)
    expect((await run(gateway)).code).toBe(0)
    const { body: accounts } = await gateway.admin('GET', '/accounts')
    const payer = accounts.data.find(({ name }: { name: string }) => name === 'smoke')
    expect(payer).toMatchObject({ kind: 'unmetered' })
    const { body: keys } = await gateway.admin('GET', `/keys?account=smoke`)
    expect(keys.data.map(({ name, revoked }: { name: string; revoked: boolean }) => [name, revoked])).toEqual([
      ['smoke', true],
      ['smoke', true],
    ])
    const { body: audit } = await gateway.admin('GET', '/audit')
    const actions = audit.data.map(({ action }: { action: string }) => action)
    expect(actions.slice(0, 5)).toEqual(['key.revoke', 'key.create', 'key.revoke', 'key.create', 'account.create'])
    const { body: settlements } = await gateway.admin('GET', '/ledger/settlements?account=smoke')
    expect(settlements.data).toHaveLength(14)
  })

  test('as a table, told when it is done; a model whose limit of tokens has the newer name', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    provider.script(json(400, { error: { message, type: 'invalid_request_error', param: 'max_tokens' } }), ...WELL)
    const { code, said } = await run(gateway, '--backend', 'b0')
    expect(code).toBe(0)
    expect(said).toMatch(/^b0 {2}m1\nREQUEST +STATUS +OUTCOME +CONNECTION +GW MS +UPSTREAM MS +POST MS +END MS +COST\n/)
    expect(said).toMatch(/^plain +200 +succeeded +kept( +\d+\.\d\d){4} +\$0\.00009 +answered$/m)
    expect(said).toMatch(/^hang-up +200 +cancelled .* left in mid-stream, and it was paid to there$/m)
    expect(said).toMatch(/\n1 backend, 7 requests, \$0\.\d{6}: all well\n$/)
    expect(provider.requests.slice(1).every((request) => Object(request.json()).max_completion_tokens > 0)).toBe(true)
  })
})

describe('one that is not', () => {
  test('each is told with what to do, the others are tried all the same', async () => {
    await using well = await scriptedProvider()
    await using wrong = await scriptedProvider()
    await using dead = await scriptedProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider: dead }, { provider: wrong }, { provider: well }] },
    })
    dead.script(refuse())
    wrong.script(
      json(401, {
        error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
      }),
    )
    well.script(...WELL)
    const { code, said } = await run(gateway)
    expect(code).toBe(1)
    expect(said).toMatch(
      /^b0 {2}m1\n.*\nplain +502 +unsent +unsent .* FAILED: .*\(unsent connect\)\n {2}It cannot be reached: see 'anyrouter doctor'\.\n/m,
    )
    expect(said).toMatch(/^b1 {2}m1\n.*\nplain +502 +denied +new .*\(denied invalid_api_key 401\)\n {2}Its credential/m)
    expect(said).toMatch(/\n3 backends, 9 requests, \$0\.\d{6}: not well: b0, b1\n$/)
    expect(wrong.requests).toHaveLength(1)
  })

  test('that is full, quarantined, or takes fewer at once: nothing else is asked in its place', async () => {
    await using provider = await scriptedProvider()
    await using other = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }, { provider: other }] } })
    provider.script(PLAIN, STREAM, ENDLESS, PLAIN, PLAIN, status(429, 'too many'))
    const { code, backends } = await reportsOf(gateway, '--backend', 'b0')
    expect(code).toBe(1)
    const last = backends[0].probes.filter(({ ok }: { ok: boolean }) => !ok)
    expect(last.length).toBeGreaterThan(0)
    expect(last[0]).toMatchObject({
      kind: 'several',
      outcome: 'throttled',
      advice: expect.stringContaining('fewer slots'),
    })

    expect((await gateway.admin('PUT', '/quarantine/b0', { reason: 'maintenance' })).status).toBe(200)
    const out = await reportsOf(gateway, '--backend', 'b0')
    expect(out.code).toBe(1)
    expect(out.backends[0].probes).toMatchObject([
      {
        kind: 'plain',
        status: 503,
        outcome: null,
        message: expect.stringContaining('quarantined'),
        advice: expect.stringContaining('quarantine list'),
      },
    ])
    expect(other.requests).toHaveLength(0)
  })

  test('that breaks a stream', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(PLAIN, sse(role(), text('rea'), { reset: true }), ENDLESS, PLAIN)
    const { code, backends } = await reportsOf(gateway)
    expect(code).toBe(1)
    expect(backends[0].probes[1]).toMatchObject({ kind: 'stream', ok: false, status: 200, outcome: 'broken' })
  })
})

describe('what is asked', () => {
  test('the cheapest model of each backend, or one by its name or alias at those that would be tried for it', async () => {
    await using provider = await scriptedProvider()
    await using other = await scriptedProvider()
    const dear = { input: '40', output: '100' }
    await using gateway = await startGateway({
      offers: { dear: [{ provider, id: 'both', price: dear }], other: [{ provider: other, id: 'second' }] },
      yaml: { aliases: { precious: 'dear' } },
    })
    provider.script(...WELL)
    const { backends } = await reportsOf(gateway, '--model', 'precious')
    expect(backends).toMatchObject([{ backend: 'both', model: 'precious', ok: true }])
    expect(other.requests).toHaveLength(0)
  })

  test('of a router model: each backend that would be tried, once, with the model that would be tried there first', async () => {
    await using provider = await scriptedProvider()
    await using other = await scriptedProvider()
    const shared = [
      { provider, id: 'both' },
      { provider: other, id: 'second' },
    ]
    await using gateway = await startGateway({ offers: { one: shared, two: shared } })
    provider.script(...WELL)
    other.script(...WELL)
    const { code, backends } = await reportsOf(gateway, '--model', 'anyrouter/auto')
    expect(code).toBe(0)
    expect(backends).toHaveLength(2)
    const models = (await gateway.admin('POST', '/route', { model: 'anyrouter/auto' })).body.candidates
    for (const { backend, model } of backends)
      expect(model).toBe(models.find((one: { backend: string }) => one.backend === backend).model)
  })

  test('a backend or a model that is not there, and a gateway with nothing configured', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    expect(await run(gateway, '--backend', 'b1')).toMatchObject({
      code: 1,
      complained: expect.stringContaining("Did you mean 'b0'?"),
    })
    expect(await run(gateway, '--model', 'm2')).toMatchObject({ code: 1, complained: expect.stringContaining("'m2'") })
    const missing = await reportsOf(gateway, '--backend', 'b0', '--model', 'm2')
    expect(missing.backends[0].probes).toMatchObject([
      { status: 404, advice: expect.stringContaining('offers no such model') },
    ])
    gateway.configure('presets: off\n')
    expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
    expect(await run(gateway)).toMatchObject({
      code: 1,
      complained: expect.stringContaining('no backend is configured'),
    })
    expect(provider.requests).toHaveLength(0)
  })

  test('without a server: the same, from the folder itself', async () => {
    await using provider = await scriptedProvider()
    provider.script(...WELL)
    using home = temporaryFolder()
    const config = home.at('anyrouter.yaml')
    writeFileSync(
      config,
      `providers: { p: { backends: { b0: { url: "${provider.baseUrl}" } } } }\nmodels: { m1: { offers: [{ backend: b0 }] } }\n`,
    )
    const place = ['--data', home.at('data'), '--config', config]
    expect(await runCommand(['accounts', 'create', '--name', 'team', ...place])).toMatchObject({ code: 0 })
    expect(await runCommand(['smoke', ...place])).toEqual({
      code: 0,
      said: expect.stringContaining('1 backend, 7 requests, $0.000000: all well'),
      complained: expect.stringContaining('no server runs'),
    })
  })
})

test('one that is left waiting by its provider does not wait for ever', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { total_ms: 200 } }] },
  })
  provider.script(script(gate('never')))
  const { backends } = await reportsOf(gateway)
  expect(backends[0].probes).toMatchObject([{ kind: 'plain', status: 504, outcome: 'failed', ok: false }])
  provider.release('never')
})
