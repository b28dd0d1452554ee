import { describe, expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, HELLO, keyWith } from '../support/wire-chat.ts'

/** What the hold of one small chat request takes: 3 tokens of prompt, 16 of an answer. */
const HELD_NANO = 3 * 4000 + 16 * 10_000

describe('what a caller is told', () => {
  test('where it stands, on answers and refusals, in both forms', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const { headers } = await keyWith(gateway, { requests_per_minute: 2, tokens_per_minute: 1000 })
    provider.script(completion('ok', 10, 5))
    const first = await chat(gateway, {}, headers).head()
    expect(first.header('x-ratelimit-limit-requests')).toBe('2')
    expect(first.header('x-ratelimit-remaining-requests')).toBe('1')
    expect(first.header('x-ratelimit-limit-tokens')).toBe('1000')
    expect(first.header('x-ratelimit-remaining-tokens')).toBe('985')
    expect(first.header('x-ratelimit-reset-requests')).toMatch(/^([1-5]?\ds|1m0s)$/)
    expect(first.header('x-ratelimit-limit')).toBeNull()
    const path = '/api/v1/chat/completions'
    const second = await rawRequest(gateway.origin, {
      path,
      headers,
      json: { model: 'm1', messages: HELLO, max_tokens: 16 },
    }).head()
    expect(second.header('x-ratelimit-limit')).toBe('2')
    expect(second.header('x-ratelimit-remaining')).toBe('0')
    expect(Number(second.header('x-ratelimit-reset'))).toBeGreaterThan(1_700_000_000_000)
    const refused = await errorOf(chat(gateway, {}, headers))
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'requests' })
    expect(refused.head.header('x-ratelimit-remaining-requests')).toBe('0')
    expect(refused.head.header('x-ratelimit-remaining-tokens')).toBe('970')
    expect(Number(refused.head.header('retry-after'))).toBeWithin(1, 61)
    expect(refused.head.header('x-should-retry')).toBe('true')
    expect(provider.requests).toHaveLength(2)
  })

  test('a key without limits gets none of these headers', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(completion('ok', 10, 5))
    const head = await chat(gateway).head()
    expect(head.header('x-ratelimit-limit-requests')).toBeNull()
    expect(head.header('x-ratelimit-limit-tokens')).toBeNull()
  })

  test('the budget that is used up, and when it begins anew: not to be repeated', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: null })
    const { headers } = await keyWith(gateway, { budget_month_usd: '0.0001', budget_total_usd: '50' })
    const refused = await errorOf(chat(gateway, {}, headers))
    expect(refused).toMatchObject({
      status: 402,
      code: 'key_budget_exceeded',
      type: 'insufficient_quota',
      budget: 'month',
      resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
    })
    expect(refused.message).toContain('$0.0001 is left')
    expect(refused.head.header('x-should-retry')).toBe('false')
    expect(provider.connections).toBe(0)
  })

  test('tokens: an estimate at the door, and a request that would never fit is not to be repeated', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const { headers } = await keyWith(gateway, { tokens_per_minute: 100 })
    provider.script(completion('ok', 30, 20))
    const never = await errorOf(chat(gateway, { max_tokens: 99 }, headers))
    expect(never).toMatchObject({ status: 429, type: 'tokens' })
    expect(never.head.header('x-should-retry')).toBe('false')
    expect(never.head.header('retry-after')).toBeNull()
    // No limit named: what is reserved for an answer does not stand in the way.
    expect(await chat(gateway, { max_tokens: undefined }, headers).status()).toBe(200)
    expect(await chat(gateway, { max_tokens: 40 }, headers).status()).toBe(200)
    const full = await errorOf(chat(gateway, { max_tokens: 1 }, headers))
    expect(full).toMatchObject({ status: 429, type: 'tokens', code: 'rate_limit_exceeded' })
    expect(Number(full.head.header('retry-after'))).toBeWithin(1, 61)
    expect(provider.requests).toHaveLength(2)
  })
})

describe('a change binds the next request', () => {
  test('limits and budgets, of a key that was in use without them', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const { id, headers } = await keyWith(gateway, {})
    provider.script(completion('ok', 3, 16))
    const ask = () => chat(gateway, {}, headers).status()
    const change = async (terms: object) =>
      expect((await gateway.admin('PATCH', `/keys/${id}`, terms)).status).toBe(200)
    expect(await ask()).toBe(200)
    await change({ requests_per_minute: 1 })
    expect([await ask(), await ask()]).toEqual([200, 429])
    await change({ requests_per_minute: null, budget_total_usd: ((3 * HELD_NANO) / 1_000_000_000).toFixed(9) })
    expect([await ask(), await ask()]).toEqual([200, 402]) // two were paid by then
    await change({ budget_total_usd: null })
    expect(await ask()).toBe(200)
    await change({ addresses: ['203.0.113.0/24'] })
    expect(await ask()).toBe(403)
  })

  test('an account that is disabled, and enabled again', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(completion('ok', 1, 1))
    const ask = () => chat(gateway).status()
    expect(await ask()).toBe(200)
    await gateway.admin('PATCH', '/accounts/test', { disabled: true })
    expect(await ask()).toBe(403)
    await gateway.admin('PATCH', '/accounts/test', { disabled: false, name: 'renamed' })
    expect(await ask()).toBe(200)
  })
})

describe('who may use a key', () => {
  test('callers from its addresses, as the trusted proxy names them', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider }] },
      yaml: { server: { trust_proxy: ['127.0.0.1'] } },
    })
    const { headers } = await keyWith(gateway, { addresses: ['198.51.100.0/24', '2001:db8::/32'] })
    provider.script(completion('ok', 1, 1))
    const from = (address: string) => chat(gateway, {}, { ...headers, 'x-forwarded-for': address })
    expect(await from('198.51.100.9').status()).toBe(200)
    expect(await from('2001:db8::7').status()).toBe(200)
    expect(await errorOf(from('198.51.101.9'))).toMatchObject({ status: 403, code: 'address_not_permitted' })
    expect(await errorOf(chat(gateway, {}, headers))).toMatchObject({ status: 403, code: 'address_not_permitted' })
    const listing = rawRequest(gateway.origin, { method: 'GET', path: '/v1/models', headers })
    expect(await listing.status()).toBe(403)
  })

  test('from there it is told of itself, too', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const { headers } = await keyWith(gateway, { addresses: ['127.0.0.0/8'] })
    provider.script(completion('ok', 1, 1))
    const id = (await chat(gateway, {}, headers).head()).header('x-request-id')?.replace('req_', 'gen-')
    const elsewhere = await keyWith(gateway, { addresses: ['198.51.100.0/24'] })
    for (const path of ['key', 'auth/key', 'credits', 'activity', `generation?id=${id}`, `generation/${id}`]) {
      const asked = (from: Record<string, string>) =>
        rawRequest(gateway.origin, { method: 'GET', path: `/api/v1/${path}`, headers: from }).status()
      expect([path, await asked(headers), await asked(elsewhere.headers)]).toEqual([path, 200, 403])
    }
  })
})
