import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, role, sse, text } from '../support/sse.ts'
import { CHAT_PATH, eventually, HELLO, recordOf } from '../support/wire-chat.ts'

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** What a caller may send, and what of it the provider is shown. */
const SENT: readonly (readonly [name: string, value: string, shown: string | null])[] = [
  ['connection', 'keep-alive, x-hop', null],
  ['x-hop', 'named by connection', null],
  ['keep-alive', 'timeout=5', null],
  ['te', 'trailers', null],
  ['upgrade', 'h2c', null],
  ['proxy-authorization', 'Basic Zm9vOmJhcg==', null],
  ['proxy-connection', 'keep-alive', null],
  ['trailer', 'x-sum', null],
  ['accept', 'text/html', 'application/json'],
  ['accept-encoding', 'gzip, zstd', 'identity'],
  ['accept-language', 'de', null],
  ['cookie', 'session=canary', null],
  ['user-agent', 'canary-agent/1', 'anyrouter'],
  ['x-api-key', 'sk-canary', null],
  ['api-key', 'sk-canary', null],
  ['openai-organization', 'org-canary', null],
  ['openai-project', 'proj-canary', null],
  ['x-stainless-lang', 'js', null],
  ['x-stainless-retry-count', '1', null],
  ['http-referer', 'https://canary.example', null],
  ['x-title', 'Canary', null],
  ['x-openrouter-title', 'Canary', null],
  ['x-openrouter-categories', 'canary', null],
  ['x-session-id', 'canary-session', null],
  ['x-request-id', 'canary-id', null],
  ['x-forwarded-for', '192.0.2.7', null],
  ['forwarded', 'for=192.0.2.7', null],
  ['origin', 'https://canary.example', null],
  ['anthropic-beta', 'canary', null],
  ['idempotency-key', 'canary', null],
  ['traceparent', TRACE, TRACE],
  ['tracestate', 'congo=t61rcWkgMzE', 'congo=t61rcWkgMzE'],
]

/** What the gateway itself tells a provider, beside what is passed on. */
const OWN = ['accept', 'accept-encoding', 'authorization', 'content-length', 'content-type', 'host', 'user-agent']

test('of a caller’s head the provider is shown its trace, and nothing else', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('Hi', 9, 3))
  const sent = Object.fromEntries(SENT.filter(([name]) => name !== 'upgrade').map(([name, value]) => [name, value]))
  const answer = rawRequest(gateway.origin, {
    path: `${CHAT_PATH}?canary=1`,
    headers: { ...sent, ...bearer(gateway) },
    json: { model: 'm1', messages: HELLO, max_tokens: 16 },
  })
  expect(await answer.status()).toBe(200)
  const request = await provider.arrived()
  const expected = SENT.map(([name, , shown]) => [name, shown])
  expect(SENT.map(([name]) => [name, name === 'connection' ? null : request.header(name)])).toEqual(expected)
  expect(
    request.headers
      .map(([name]) => name.toLowerCase())
      .filter((name) => name !== 'connection')
      .sort(),
  ).toEqual([...OWN, 'traceparent', 'tracestate'].sort())
  const raw = request.raw.toString().replace(request.header('authorization') ?? '', '')
  expect([raw.includes('canary'), raw.includes(gateway.key)]).toEqual([false, false])
})

test.each([
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  'canary',
])('what is no trace (%s) goes no further, nor does its state', async (traceparent) => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('Hi', 9, 3))
  const headers = { ...bearer(gateway), traceparent, tracestate: 'congo=t61rcWkgMzE' }
  const json = { model: 'm1', messages: HELLO, max_tokens: 16 }
  expect(await rawRequest(gateway.origin, { path: CHAT_PATH, headers, json }).status()).toBe(200)
  const request = await provider.arrived()
  expect([request.header('traceparent'), request.header('tracestate')]).toEqual([null, null])
})

test('what a caller says of itself is in the record', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('Hi', 9, 3))
  const said = {
    'http-referer': 'https://app.example',
    'x-title': 'App',
    'user-agent': 'agent/1',
    'x-request-id': 'mine',
  }
  const headers = { ...bearer(gateway), ...said }
  const json = { model: 'm1', messages: HELLO, max_tokens: 16 }
  const answer = await rawRequest(gateway.origin, { path: CHAT_PATH, headers, json }).head()
  expect(await recordOf(gateway, answer)).toMatchObject({
    client: { referer: 'https://app.example', title: 'App', user_agent: 'agent/1' },
    client_request_id: 'mine',
  })
})

/** What a provider may send, beside its own framing; none of it is a caller's business. */
const ANSWERED = {
  'set-cookie': 'session=canary',
  server: 'canary-server',
  via: '1.1 canary',
  'cf-ray': 'canary',
  'x-request-id': 'req-of-provider',
  'openai-organization': 'org-canary',
  'openai-processing-ms': '17',
  'x-ratelimit-remaining-requests': '7',
  'keep-alive': 'timeout=5',
  'access-control-allow-origin': 'https://canary.example',
  'strict-transport-security': 'max-age=31536000',
  'x-should-retry': 'canary',
  authorization: 'Bearer sk-canary',
  'www-authenticate': 'Bearer realm="canary"',
  location: 'https://canary.example',
}
/** Of an answer: what the gateway says. */
const TOLD = ['content-length', 'content-type', 'date', 'server-timing', 'x-request-id']
const TOLD_OF_STREAM = [
  'cache-control',
  'content-type',
  'date',
  'server-timing',
  'transfer-encoding',
  'x-accel-buffering',
  'x-request-id',
]
const ERROR = status(400, { error: { message: 'no' } }, ANSWERED)
const STREAM = sse(role(), text('Hi'), done())
const PLAIN = completion('Hi', 9, 3)

test.each([
  ['plain', status(200, PLAIN, ANSWERED), {}, TOLD],
  ['a stream', status(200, STREAM, ANSWERED), { stream: true }, TOLD_OF_STREAM],
  ['an error', ERROR, {}, TOLD],
])(
  'of a provider’s head nothing comes back, and its id of the request is in the record: %s',
  async (_, script, fields, told) => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(script)
    const json = { model: 'm1', messages: HELLO, max_tokens: 16, ...fields }
    const answer = rawRequest(gateway.origin, { path: CHAT_PATH, headers: bearer(gateway), json })
    const head = await answer.head()
    await answer.text()
    const names = head.headers.map(([name]) => name.toLowerCase()).filter((name) => name !== 'connection')
    expect(names.sort()).toEqual(expect.arrayContaining([...told]))
    expect(names.filter((name) => !told.includes(name) && name !== 'x-should-retry')).toEqual([])
    expect(JSON.stringify(head.headers)).not.toContain('canary')
    expect(head.header('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    const attempts = await eventually(async () => {
      const { status: code, body } = await gateway.admin('GET', `/records/${head.header('x-request-id')}`)
      return code === 200 ? body.attempts : undefined
    })
    expect(attempts).toMatchObject([{ provider_request_id: 'req-of-provider' }])
  },
)

test('a body that comes chunked goes out with its length', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(completion('Hi', 9, 3))
  const body = JSON.stringify({ model: 'm1', messages: HELLO, max_tokens: 16 })
  const headers = { ...bearer(gateway), 'content-type': 'application/json' }
  const answer = rawRequest(gateway.origin, { path: CHAT_PATH, headers, body, chunkBytes: 7 })
  expect(await answer.status()).toBe(200)
  const request = await provider.arrived()
  expect([request.header('transfer-encoding'), request.header('content-length')]).toEqual([
    null,
    String(request.body.length),
  ])
})
