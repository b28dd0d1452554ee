import { describe, expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import type { AnswerHead } from '../support/raw-answer.ts'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { CHAT_PATH, HELLO } from '../support/wire-chat.ts'

const APP = 'https://app.example'
const SDK_HEADERS = 'authorization,content-type,x-stainless-os,x-stainless-retry-count,anthropic-version'

const corsHeadersOf = ({ headers }: AnswerHead) =>
  headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith('access-control-'))

const preflight = (gateway: TestGateway, path: string, origin = APP) =>
  rawRequest(gateway.origin, {
    method: 'OPTIONS',
    path,
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': SDK_HEADERS },
  })

const post = (gateway: TestGateway, { origin = APP, key = gateway.key, path = CHAT_PATH, fields = {} } = {}) =>
  rawRequest(gateway.origin, {
    path,
    headers: { authorization: `Bearer ${key}`, ...(origin === '' ? {} : { origin }) },
    json: { model: 'm1', messages: HELLO, max_tokens: 16, ...fields },
  })

async function gatewayWith(cors: unknown) {
  const provider = await scriptedProvider()
  const yaml = cors === undefined ? {} : { yaml: { server: { cors } } }
  const gateway = await startGateway({ offers: { m1: [{ provider }] }, ...yaml })
  return {
    provider,
    gateway,
    ...endedInTurn(gateway, provider),
  }
}

describe('with every origin allowed', () => {
  test('a preflight needs no key and is asked of nobody', async () => {
    await using made = await gatewayWith('*')
    for (const path of [CHAT_PATH, '/api/v1/chat/completions', '/v1/models/a/b']) {
      const answer = preflight(made.gateway, path)
      const head = await answer.head()
      expect(head.status).toBe(204)
      expect(Object.fromEntries(corsHeadersOf(head))).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': SDK_HEADERS,
      })
      expect(await answer.ended()).toBe('complete')
    }
    expect(made.provider.connections).toBe(0)
  })

  test('plain answers, streams, and errors of every place can be read', async () => {
    await using made = await gatewayWith('*')
    const { gateway, provider } = made
    provider.script(
      completion('Hi', 1, 1),
      sse(role(), text('Hi'), finish(), usage(1, 1), done()),
      status(429, {}, { 'retry-after': '7' }),
    )
    const answers = [
      [200, post(gateway)],
      [200, post(gateway, { fields: { stream: true } })],
      [429, post(gateway)],
      [401, post(gateway, { key: 'wrong' })],
      [404, post(gateway, { fields: { model: 'm2' } })],
      [404, post(gateway, { path: '/v1/nothing' })],
      [404, post(gateway, { path: '/api/v1/nothing' })],
      [405, rawRequest(gateway.origin, { method: 'GET', path: CHAT_PATH, headers: { origin: APP } })],
    ] as const
    for (const [code, answer] of answers) {
      const head = await answer.head()
      expect(head.status).toBe(code)
      expect(head.header('access-control-allow-origin')).toBe('*')
      const exposed = head.header('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining(['x-request-id', 'server-timing', 'retry-after', 'x-ratelimit-limit-requests']),
      )
      expect(head.header('vary')).toBe('Origin')
      expect(await answer.ended()).toBe('complete')
    }
  })
})

test('with a list its origins are named, and no other gets leave', async () => {
  await using made = await gatewayWith([APP, 'http://localhost:5173'])
  made.provider.script(completion('Hi', 1, 1))
  for (const origin of [APP, 'http://localhost:5173'])
    expect((await post(made.gateway, { origin }).head()).header('access-control-allow-origin')).toBe(origin)
  for (const origin of ['https://evil.example', 'null', '']) {
    const head = await post(made.gateway, { origin }).head()
    expect([head.status, corsHeadersOf(head), head.header('vary')]).toEqual([200, [], 'Origin'])
  }
  expect(corsHeadersOf(await preflight(made.gateway, CHAT_PATH, 'https://evil.example').head())).toEqual([])
})

test.each([[undefined], ['off']])('off (%p): no header says anything of it', async (cors) => {
  await using made = await gatewayWith(cors)
  made.provider.script(completion('Hi', 1, 1))
  for (const answer of [post(made.gateway), post(made.gateway, { key: 'wrong' }), preflight(made.gateway, CHAT_PATH)]) {
    const head = await answer.head()
    expect([corsHeadersOf(head), head.header('vary')]).toEqual([[], null])
    expect([200, 401, 405]).toContain(head.status)
  }
})

test('the admin API answers no page', async () => {
  await using made = await gatewayWith('*')
  const { gateway } = made
  expect(corsHeadersOf(await preflight(gateway, '/admin/v1/accounts').head())).toEqual([])
  const asked = { method: 'GET', path: '/admin/v1/accounts', headers: { ...bearer(gateway), origin: APP } }
  expect(corsHeadersOf(await rawRequest(gateway.origin, asked).head())).toEqual([])
})
