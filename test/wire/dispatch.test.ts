import { describe, expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { close, gate, html, json, type Part, raw, refuse, reset, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, event, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, errorOf, recordOf, settlementOf, streamChat, timingOf } from '../support/wire-chat.ts'

const FAILURES: readonly [name: string, part: Part, outcome: string][] = [
  ['nobody listens', refuse(), 'unsent'],
  ['a reset before any byte', script(reset()), 'failed'],
  ['half a head', raw('HTTP/1.1 200 OK\r\ncontent-le').then(reset()), 'failed'],
  [
    'half a body',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\ncontent-type: application/json\r\n\r\n{"choi').then(close()),
    'failed',
  ],
  ['bytes that are no HTTP', raw('SSH-2.0-OpenSSH\r\n\r\n').then(close()), 'failed'],
  ['500', json(500, { error: { message: 'boom' } }), 'failed'],
  ['an HTML page with 502', html(), 'failed'],
  ['an HTML page with 200', html(200), 'failed'],
  ['a redirect', status(302, '', { location: 'http://127.0.0.1:1/' }), 'failed'],
  ['200 with an error', json({ error: { message: 'overloaded', type: 'server_error' } }), 'failed'],
  ['200 with nothing', status(200, ''), 'failed'],
  ['200 without choices', json({ id: 'x', choices: [] }), 'failed'],
  [
    'a rejected credential',
    json(401, { error: { message: 'Incorrect API key provided: sk-provider-canary-0123456789' } }),
    'denied',
  ],
  ['a rate limit', status(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }), 'throttled'],
]

describe('a plain request falls back when a backend', () => {
  for (const [name, part, outcome] of FAILURES) {
    test(`answers with: ${name}`, async () => {
      await using bad = await scriptedProvider()
      await using good = await scriptedProvider()
      await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
      bad.script(part)
      good.script(completion('from the second', 2, 2))
      const answer = chat(gateway)
      const head = await answer.head()
      expect(head.status).toBe(200)
      expect(await answer.text()).toContain('from the second')
      expect(timingOf(head).has('upstream-2')).toBe(true)
      expect(good.requests.length).toBe(1)
      expect(await settlementOf(gateway)).toMatchObject({ end: 'settled', charged_nano: 28_000, backend: 'b1' })
      const record = await recordOf(gateway, head)
      expect(record.attempts.map((attempt: { outcome: string }) => attempt.outcome)).toEqual([outcome, 'succeeded'])
    })
  }
})

describe('a stream falls back before its first content when a backend', () => {
  const early: readonly [name: string, part: Part][] = [
    ['sends an error as its first event', sse(event({ error: { message: 'overloaded', code: 'overloaded' } }))],
    ['sends an error after the role', sse(role(), event({ error: { message: 'overloaded' } }))],
    ['ends without content', sse(role())],
    ['is cut after the role', sse(role(), reset())],
    ['answers an HTML page', html(200)],
  ]
  for (const [name, part] of early) {
    test(name, async () => {
      await using bad = await scriptedProvider()
      await using good = await scriptedProvider()
      await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
      bad.script(part)
      good.script(sse(role(), text('fine'), finish(), usage(2, 2), done()))
      const whole = await streamChat(gateway).text()
      expect(whole).toContain('fine')
      expect(whole).not.toContain('overloaded')
      expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 28_000, backend: 'b1' })
    })
  }
})

test('after the first content nothing is sent to another backend', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
  bad.script(sse(role(), text('Hel'), reset()))
  const answer = streamChat(gateway)
  await answer.text()
  expect(answer.textSoFar).not.toContain('[DONE]')
  expect(JSON.parse(answer.events.at(-1)?.data ?? '{}').error.code).toBe('stream_broken')
  expect(good.requests).toHaveLength(0)
  expect(await settlementOf(gateway)).toMatchObject({ reason: 'provider_broken', usage_source: 'estimate' })
})

test("the client's own fault is returned and not tried elsewhere", async () => {
  await using first = await scriptedProvider()
  await using second = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: first }, { provider: second }] } })
  first.script(
    json(400, { error: { message: 'too hot', type: 'invalid_request_error', param: 'temperature', code: null } }),
  )
  expect(await errorOf(chat(gateway))).toMatchObject({
    status: 400,
    message: 'too hot',
    param: 'temperature',
    code: null,
  })
  expect(second.requests).toHaveLength(0)
})

test('when every backend failed the last word lists the attempts and no secret', async () => {
  await using first = await scriptedProvider()
  await using second = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: first }, { provider: second }] } })
  first.script(json(500, { error: { message: 'leaked sk-provider-canary-0123456789' } }))
  second.script(json(401, { error: { message: 'Incorrect API key provided: sk-provider-canary-0123456789' } }))
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({
    status: 502,
    code: 'provider_failed',
    attempts: [
      { backend: 'b0', outcome: 'failed', status: 500 },
      { backend: 'b1', outcome: 'denied' },
    ],
  })
  expect(error.head.header('x-should-retry')).toBe('false')
  expect(JSON.stringify(error)).not.toContain('canary')
  expect(await settlementOf(gateway)).toMatchObject({ end: 'voided', charged_nano: 0 })
})

test('our credential rejected everywhere is 502, never the 401 of the provider', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(json(401, { error: { message: 'no' } }))
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 502, code: 'upstream_credentials_rejected' })
})

test('throttled everywhere is 429 with the shortest wait', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(status(429, {}, { 'retry-after': '7' }))
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  expect(error.head.header('retry-after')).toBe('7')
})

test('a backend that says nothing is left when its time is over: 504, absorbed, nothing charged', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider, backend: { total_ms: 150 } }] } })
  provider.script(script(gate('never')))
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 504, code: 'provider_timeout' })
  await provider.peerClosed()
  expect((await recordOf(gateway, error.head)).attempts).toMatchObject([
    { outcome: 'failed', reason: 'total_timeout', absorbed: true },
  ])
  expect(await settlementOf(gateway)).toMatchObject({ end: 'voided' })
})

test('full backends cost no attempt, though there are more of them than attempts: the one with room serves', async () => {
  await using free = await scriptedProvider()
  const busy = await Promise.all([scriptedProvider(), scriptedProvider(), scriptedProvider()])
  await using gateway = await startGateway({
    offers: { m1: [...busy.map((provider) => ({ provider, backend: { slots: 1 } })), { provider: free }] },
  })
  const taken = []
  for (const full of busy) {
    full.script(script(gate('busy'), completion('one', 1, 1)))
    taken.push(chat(gateway))
    await full.reached('busy')
  }
  free.script(completion('two', 1, 1))
  const answer = chat(gateway, {}, { ...bearer(gateway), 'x-max-attempts': '2' })
  expect(await answer.text()).toContain('two')
  expect([...timingOf(await answer.head()).keys()].filter((name) => name.startsWith('upstream-'))).toEqual([
    'upstream-1',
  ])
  const { skips, attempts } = await recordOf(gateway, await answer.head())
  expect(skips.map(({ backend, rule }: Record<string, string>) => [backend, rule])).toEqual([
    ['b0', 'full'],
    ['b1', 'full'],
    ['b2', 'full'],
  ])
  expect(attempts).toMatchObject([{ backend: 'b3', number: 1 }])
  for (const full of busy) full.release('busy')
  for (const one of taken) expect(await one.text()).toContain('one')
  for (const full of busy) await full[Symbol.asyncDispose]()
})

test('when all are full a request waits for the first slot, and queue_ms bounds the wait', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { slots: 1 } }] },
    yaml: { routing: { queue_ms: 100 } },
  })
  provider.script(script(gate('busy'), completion('one', 1, 1)), completion('two', 1, 1))
  const first = chat(gateway)
  await provider.reached('busy')
  const error = await errorOf(chat(gateway))
  expect(error).toMatchObject({ status: 503, code: 'no_capacity' })
  expect(error.head.header('retry-after')).toBe('1')
  provider.release('busy')
  expect(await first.status()).toBe(200)
  expect(await chat(gateway).text()).toContain('two')
})
