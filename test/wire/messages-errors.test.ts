import { describe, expect, test } from 'bun:test'
import {
  anthropicErrorOf,
  ask,
  COUNT_PATH,
  errorBody,
  message,
  messagesWorld,
  worldWith,
} from '../support/anthropic.ts'
import { startGateway, unknownKey } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { keyWith, recordOf } from '../support/wire-chat.ts'

describe("the gateway's own refusals have Anthropic's shape", () => {
  test('of the request, its key, its model, its path', async () => {
    await using world = await worldWith({ yaml: { server: { body_bytes_max: 2048 } } }, message('Hi'))
    const { gateway } = world
    const of = (answer: ReturnType<typeof ask>) => anthropicErrorOf(answer)
    expect(await of(ask(gateway, {}, { headers: {} }))).toMatchObject({ status: 401, type: 'authentication_error' })
    const wrong = { 'x-api-key': unknownKey() }
    expect(await of(ask(gateway, {}, { headers: wrong }))).toMatchObject({ status: 401, code: 'invalid_api_key' })
    expect(await of(ask(gateway, { model: 'm2' }))).toMatchObject({ status: 404, type: 'not_found_error' })
    expect(await of(ask(gateway, { system: 'x'.repeat(3000) }))).toMatchObject({
      status: 413,
      type: 'request_too_large',
    })
    expect(await of(ask(gateway, {}, { path: '/v1/messages/nothing' }))).toMatchObject({
      status: 404,
      type: 'not_found_error',
    })
    for (const [fields, param] of [
      [{ max_tokens: undefined }, 'max_tokens'],
      [{ messages: [] }, 'messages'],
      [{ messages: 'x' }, 'messages'],
      [{ messages: ['x'] }, 'messages.0'],
      [{ model: 7 }, 'model'],
      [{ stream: 'yes' }, 'stream'],
      [{ fallbacks: [{ model: 'm2', max_tokens: 1 }] }, 'fallbacks'],
    ] as const)
      expect(await of(ask(gateway, fields))).toMatchObject({ status: 400, type: 'invalid_request_error', param })
    expect(world.provider.requests.length).toBe(0)
  })

  test('of what the account and its key may do', async () => {
    await using world = await worldWith({ balanceUsd: '0.00001' }, message('Hi'))
    const { gateway } = world
    const poor = await anthropicErrorOf(ask(gateway, { max_tokens: 4000 }))
    expect(poor).toMatchObject({ status: 402, type: 'billing_error', code: 'insufficient_credits' })
    const away = await keyWith(gateway, { addresses: ['192.0.2.1'] })
    expect(await anthropicErrorOf(ask(gateway, {}, { headers: away.headers }))).toMatchObject({
      status: 403,
      type: 'permission_error',
    })
    const slow = await keyWith(gateway, { requests_per_minute: 1 })
    await ask(gateway, { max_tokens: undefined }, { path: COUNT_PATH, headers: slow.headers }).text()
    const limited = await anthropicErrorOf(ask(gateway, {}, { headers: slow.headers }))
    expect(limited).toMatchObject({ status: 429, type: 'rate_limit_error' })
    expect(Number(limited.head.header('retry-after'))).toBeGreaterThan(0)
    expect(limited.head.header('x-should-retry')).toBe('true')
  })

  test('of a model that no backend serves in this dialect: nothing is translated', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const refused = await anthropicErrorOf(ask(gateway))
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error', code: 'wrong_endpoint' })
    expect(refused.message).toContain('does not know messages')
    expect(provider.requests.length).toBe(0)
  })
})

describe("a provider's errors", () => {
  test.each([
    [400, 'invalid_request_error', 400, 'invalid_request_error'],
    [404, 'not_found_error', 404, 'not_found_error'],
    [413, 'request_too_large', 413, 'request_too_large'],
    [401, 'authentication_error', 502, 'api_error'],
    [403, 'permission_error', 502, 'api_error'],
    [429, 'rate_limit_error', 429, 'rate_limit_error'],
    [500, 'api_error', 502, 'api_error'],
    [529, 'overloaded_error', 429, 'rate_limit_error'],
  ])('%p %s is told as %p %s', async (code, type, told, toldType) => {
    await using world = await messagesWorld(json(code, errorBody(type, 'the words of the provider')))
    const error = await anthropicErrorOf(ask(world.gateway))
    expect([error.status, error.type]).toEqual([told, toldType])
    if (told < 429) expect(error.message).toBe('the words of the provider')
    if (told === 502) expect(error.head.header('x-should-retry')).toBe('false')
  })

  test('headers of the provider do not come back; its id of the request is in the record', async () => {
    const headers = { 'request-id': 'req_provider', 'anthropic-ratelimit-requests-limit': '50', 'set-cookie': 'a=b' }
    await using world = await messagesWorld(status(200, message('Hi'), headers))
    const head = await ask(world.gateway).head()
    expect((await recordOf(world.gateway, head)).attempts).toMatchObject([{ provider_request_id: 'req_provider' }])
    expect(head.header('request-id')).toBe(head.header('x-request-id'))
    expect([head.header('anthropic-ratelimit-requests-limit'), head.header('set-cookie')]).toEqual([null, null])
  })
})
