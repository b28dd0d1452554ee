import { describe, expect, test } from 'bun:test'
import { bearer } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { json, status } from '../support/script.ts'
import { completion } from '../support/sse.ts'
import { API_CHAT_PATH, apiChat, apiErrorOf, apiWorld } from '../support/wire-api-v1.ts'

describe('errors have a number for their code', () => {
  test('ours: bad JSON, bad field, bad key, no credit, unknown model, wrong method, nothing there', async () => {
    await using made = await apiWorld(completion('Hi', 1, 1))
    const { gateway } = made
    const post = (body: string) => rawRequest(gateway.origin, { path: API_CHAT_PATH, headers: bearer(gateway), body })
    expect(await apiErrorOf(post('{"model": }'))).toMatchObject({
      code: 400,
      metadata: { error_type: 'invalid_request', code: 'invalid_json' },
    })
    expect(await apiErrorOf(post('{"model":"m1"}'))).toMatchObject({ code: 400, metadata: { param: 'messages' } })
    expect(await apiErrorOf(apiChat(gateway, {}, { authorization: 'Bearer sk-ar-v1-no' }))).toMatchObject({
      code: 401,
      metadata: { error_type: 'authentication' },
    })
    expect(await apiErrorOf(apiChat(gateway, { max_tokens: 4000, n: 100 }))).toMatchObject({
      code: 402,
      metadata: { error_type: 'payment_required', code: 'insufficient_credits' },
    })
    expect(await apiErrorOf(apiChat(gateway, { model: 'm2' }))).toMatchObject({
      code: 404,
      metadata: { error_type: 'not_found', code: 'model_not_found' },
    })
    const wrong = await apiErrorOf(rawRequest(gateway.origin, { method: 'GET', path: API_CHAT_PATH }))
    expect(wrong).toMatchObject({ code: 405, metadata: { code: 'method_not_allowed' } })
    expect(wrong.head.header('allow')).toBe('POST')
    expect(await apiErrorOf(rawRequest(gateway.origin, { method: 'GET', path: '/api/v1/nothing' }))).toMatchObject({
      code: 404,
    })
  })

  test("the providers': refused, throttled, failed, with the list of attempts", async () => {
    await using made = await apiWorld()
    const { gateway, provider } = made
    const refused = {
      message: 'too long',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages',
    }
    provider.script(json(400, { error: refused }))
    expect(await apiErrorOf(apiChat(gateway))).toMatchObject({
      code: 400,
      message: 'too long',
      metadata: { error_type: 'context_length_exceeded', code: 'context_length_exceeded', param: 'messages' },
    })
    provider.script(status(429, {}, { 'retry-after': '7' }))
    const throttled = await apiErrorOf(apiChat(gateway))
    expect(throttled).toMatchObject({ code: 429, metadata: { error_type: 'rate_limit_exceeded' } })
    expect(throttled.head.header('retry-after')).toBe('7')
    await gateway.admin('DELETE', '/quarantine/b0') // its throttle would keep the next request away
    provider.script(json(401, { error: { message: 'no' } }))
    expect(await apiErrorOf(apiChat(gateway))).toMatchObject({
      code: 502,
      metadata: {
        code: 'upstream_credentials_rejected',
        attempts: [{ backend: 'b0', outcome: 'denied', status: 401 }],
      },
    })
  })
})
