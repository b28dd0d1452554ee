import { describe, expect, test } from 'bun:test'
import type { Backend } from '../../../../src/domain/index.ts'
import { backendFindings } from '../../../../src/jobs/doctor/backend-findings.ts'
import { type FakeClock, fakeClock } from '../../../support/fake-clock.ts'
import { close, gate, hang, json, type Part, raw, refuse, script, send, status } from '../../../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../support/scripted-provider.ts'
import { backendAt, SETTINGS } from '../../agents/probe.ts'

const MODELS = json({ object: 'list', data: [] })
const refused = (message: string) =>
  json(401, { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } })

const withCredentials = (backend: Backend, ...secrets: string[]): Backend => ({
  ...backend,
  provider: { ...backend.provider, credentials: secrets.map((secret, at) => ({ id: `c${at}`, secret })) },
})

const look = (backends: readonly Backend[], clock: FakeClock = fakeClock(), out: string | null = null) =>
  backendFindings({
    backends,
    settings: SETTINGS,
    clock,
    exclusion: () => (out === null ? null : { cause: 'operator', reason: out }),
  })

/** What is said of one backend without a credential whose provider plays this. */
async function judged(...parts: readonly Part[]) {
  await using provider = await scriptedProvider()
  provider.script(...parts)
  const { findings } = await look([backendAt(provider.port)])
  expect(findings).toHaveLength(1)
  return findings[0]
}

test('the way there and every credential, each with a free call; none of it needs a body', async () => {
  await using provider = await scriptedProvider()
  provider.script(refused('No key.'), MODELS, refused('Incorrect API key provided: sk-canary-0123456789.'))
  const { findings } = await look([withCredentials(backendAt(provider.port), 'sk-good', 'sk-canary-0123456789')])
  expect(findings).toMatchObject([
    {
      check: 'backend',
      subject: 'one',
      state: 'ok',
      message: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:\d+\/v1: answered in .*connect.*first byte.*status 401 without a credential$/,
      ),
    },
    { check: 'credential', subject: 'one/c0', state: 'ok', message: 'taken', advice: null },
    {
      check: 'credential',
      subject: 'one/c1',
      state: 'fail',
      message: 'refused with 401: Incorrect API key provided: [redacted]',
      advice: expect.stringContaining('credential c1 of p'),
    },
  ])
  expect(JSON.stringify(findings)).not.toContain('canary')
  const asked = provider.requests.map(
    (request) => `${request.method} ${request.target} ${request.header('authorization')}`,
  )
  expect(asked).toEqual([
    'GET /v1/models null',
    'GET /v1/models Bearer sk-good',
    'GET /v1/models Bearer sk-canary-0123456789',
  ])
  expect(provider.connections).toBe(1)
  await provider.connectionsEnded(1)
})

test('where the list is open to everybody, a good answer proves nothing of a credential', async () => {
  await using provider = await scriptedProvider()
  provider.script(MODELS)
  const { findings } = await look([withCredentials(backendAt(provider.port), 'sk-any')])
  expect(findings[1]).toMatchObject({ state: 'ok', message: expect.stringContaining('anyrouter smoke proves it') })
})

describe('a backend that', () => {
  test('is dead', async () => {
    expect(await judged(refuse())).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('connect: ECONNREFUSED'),
      advice: expect.stringContaining('is it running'),
    })
  })

  test('has a name nobody knows', async () => {
    const { findings } = await look([backendAt('http://nowhere.invalid/v1')])
    expect(findings).toMatchObject([{ state: 'fail', message: expect.stringContaining('dns:') }])
  })

  test('takes the connection and says nothing: 10 s, and its credentials are not tried', async () => {
    await using provider = await scriptedProvider()
    provider.script(script(hang()))
    const clock = fakeClock()
    const looking = look([withCredentials(backendAt(provider.port), 'sk-any')], clock)
    await provider.arrived(1)
    clock.advance(9999)
    expect(provider.connectionsOpen).toBe(1)
    clock.advance(1)
    expect((await looking).findings).toMatchObject([
      { check: 'backend', state: 'fail', message: expect.stringContaining('no whole answer within 10 s') },
    ])
    expect(clock.timers).toBe(0)
  })

  test('is slow: where the time goes is told', async () => {
    await using provider = await scriptedProvider()
    provider.script(script(gate('thinking'), MODELS))
    const clock = fakeClock()
    const looking = look([backendAt(provider.port)], clock)
    await provider.reached('thinking')
    clock.advance(3000)
    provider.release('thinking')
    expect((await looking).findings).toMatchObject([
      {
        state: 'warn',
        message: expect.stringMatching(/answered in 3000 ms .*: slow$/),
        advice: expect.stringContaining('the provider itself'),
      },
    ])
  })

  test('is not at the end of its url', async () => {
    expect(await judged(status(404, 'nothing here'))).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('/v1'),
    })
    expect(await judged(status(308, '', { location: 'https://elsewhere.example' }))).toMatchObject({
      state: 'fail',
      advice: expect.stringContaining('redirects are not followed'),
    })
    expect(await judged(raw('SSH-2.0-OpenSSH_9.2\r\n\r\n'))).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('framing'),
    })
  })

  test('has trouble of its own, or hangs up', async () => {
    expect(await judged(status(503, 'down for maintenance'))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('down for maintenance'),
    })
    const cut = script({ status: 200, headers: { 'content-length': '100' } }, send('{'), close())
    expect(await judged(cut)).toMatchObject({ state: 'fail', message: expect.stringContaining('reset:') })
  })

  test('asks for a credential, and there is none', async () => {
    expect(await judged(refused('No key.'))).toMatchObject({
      state: 'fail',
      advice: 'Name a credential of the provider p in the configuration.',
    })
  })

  test('shows a certificate that nobody vouches for', async () => {
    await using provider = await scriptedProvider({ tls: true })
    provider.script(MODELS)
    const { findings } = await look([backendAt(`${provider.origin}/v1`)])
    expect(findings).toMatchObject([{ state: 'fail', message: expect.stringContaining('tls:') }])
  })

  test('is disabled is not asked; one that is quarantined is, and that is told', async () => {
    await using provider = await scriptedProvider()
    provider.script(MODELS)
    const { findings } = await look(
      [{ ...backendAt(provider.port), enabled: false }, backendAt(provider.port, { id: 'two' })],
      fakeClock(),
      'maintenance',
    )
    expect(findings).toMatchObject([
      { subject: 'two', state: 'ok' },
      { subject: 'two', state: 'warn', message: 'quarantined (operator): maintenance' },
    ])
    expect(provider.requests).toHaveLength(1)
  })
})

describe('a credential', () => {
  async function judgedCredential(answer: Part) {
    await using provider = await scriptedProvider()
    provider.script(refused('No key.'), answer)
    const { findings } = await look([withCredentials(backendAt(provider.port), 'sk-any')])
    return findings[1]
  }

  test('without credit, or limited', async () => {
    for (const code of [402, 429]) {
      expect(await judgedCredential(status(code, 'no more'))).toMatchObject({
        state: 'warn',
        message: expect.stringContaining(`limited now: ${code}`),
      })
    }
  })

  test('of which nothing can be learned', async () => {
    expect(await judgedCredential(status(404, 'no such path'))).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('/v1'),
    })
    expect(await judgedCredential(status(500, 'oops'))).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('smoke --backend one'),
    })
    expect(await judgedCredential(script(close()))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('not known: reset'),
    })
  })
})

test('the clock that a provider tells is compared with ours in the middle of the exchange', async () => {
  await using provider = await scriptedProvider()
  const clock = fakeClock(Date.parse('2027-01-31T12:00:00Z'))
  provider.script(
    status(200, '{}', { date: 'Sun, 31 Jan 2027 12:01:30 GMT' }),
    status(200, '{}', { date: 'yesterday' }),
  )
  expect((await look([backendAt(provider.port)], clock)).readings).toEqual([{ backend: 'one', aheadMs: 90_000 }])
  expect((await look([backendAt(provider.port)], clock)).readings).toEqual([])
})

test('many backends are asked eight at a time, and told in their order', async () => {
  const providers: ScriptedProvider[] = []
  try {
    for (let number = 0; number < 12; number++) {
      const provider = await scriptedProvider()
      provider.script(script(gate('go'), MODELS))
      providers.push(provider)
    }
    const looking = look(providers.map(({ port }, at) => backendAt(port, { id: `b${at}` })))
    await Promise.all(providers.slice(0, 8).map((provider) => provider.reached('go')))
    expect(providers.flatMap(({ requests }) => requests)).toHaveLength(8)
    for (const provider of providers) provider.release('go')
    expect((await looking).findings.map(({ subject }) => subject)).toEqual(providers.map((_, at) => `b${at}`))
  } finally {
    for (const provider of providers) await provider[Symbol.asyncDispose]()
  }
})
