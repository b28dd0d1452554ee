import { describe, expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, eventually, recordOf, settlementOf } from '../support/wire-chat.ts'

const TOO_LONG = json(400, {
  error: {
    message: "This model's maximum context length is 8192 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
})

describe('a prompt too long for an offer', () => {
  test('goes to one with a larger context; nobody is blamed', async () => {
    await using small = await scriptedProvider()
    await using same = await scriptedProvider()
    await using large = await scriptedProvider()
    await using gateway = await startGateway({
      offers: {
        m1: [
          { provider: small, offer: { context: 8192 } },
          { provider: same, offer: { context: 8192 } },
          { provider: large, offer: { context: 32_768 } },
        ],
      },
    })
    small.script(TOO_LONG)
    large.script(completion('fine', 1, 1))
    const answer = chat(gateway)
    expect(await answer.text()).toContain('fine')
    expect(same.requests).toHaveLength(0)
    expect((await recordOf(gateway, await answer.head())).attempts).toMatchObject([
      { backend: 'b0', outcome: 'too_long', status: 400, reason: 'context_length_exceeded' },
      { backend: 'b2', outcome: 'succeeded' },
    ])
    await eventually(async () => gateway.logs().includes('"blame":"nobody"') || undefined)
  })

  test("is the client's own error where no offer takes more", async () => {
    await using first = await scriptedProvider()
    await using second = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: first }, { provider: second }] } })
    first.script(TOO_LONG)
    expect(await errorOf(chat(gateway))).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringContaining('8192'),
    })
    expect(second.requests).toHaveLength(0)
  })
})

describe('several credentials', () => {
  test.each([401, 429])('after %i the next one is shown to the same backend', async (code) => {
    await using provider = await scriptedProvider()
    await using other = await scriptedProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider }, { provider: other }] },
      credentials: ['sk-first', 'sk-second'],
    })
    provider.script(json(code, { error: { message: 'no' } }), completion('fine', 1, 1))
    const answer = chat(gateway)
    expect(await answer.text()).toContain('fine')
    expect(provider.requests.map((request) => request.header('authorization'))).toEqual([
      'Bearer sk-first',
      'Bearer sk-second',
    ])
    expect(other.requests).toHaveLength(0)
    expect((await recordOf(gateway, await answer.head())).attempts).toMatchObject([
      { credential: 'main' },
      { credential: 'spare1', outcome: 'succeeded' },
    ])
  })
})

test('a refusal that reports usage is charged by it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    json(400, {
      error: { message: 'policy', type: 'invalid_request_error', code: 'content_filter' },
      usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 },
    }),
  )
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 400, code: 'content_filter' })
  expect(await settlementOf(gateway)).toMatchObject({
    end: 'settled',
    reason: 'provider_reported',
    charged_nano: 40_000,
  })
})

test('an error in a 200 that names a status is judged by it', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(json({ error: { message: 'slow down', code: 429 } }))
  expect(await errorOf(chat(gateway))).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
})

describe('limits of time', () => {
  test.each([
    ['an offer', { offer: { total_ms: 100 } }, {}],
    ['a model', {}, { total_ms: 100 }],
    ['a backend', { backend: { total_ms: 100 } }, {}],
  ])('of %s', async (_name, place, model) => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider, ...place }] }, model })
    provider.script({ hang: true })
    expect(await errorOf(chat(gateway))).toMatchObject({ status: 504, code: 'provider_timeout' })
  })
})

describe('whether to repeat', () => {
  test('never what may have run, unless the operator says so', async () => {
    for (const [yaml, should] of [
      [{}, 'false'],
      [{ replies: { no_retry_after_send: false } }, 'true'],
    ] as const) {
      await using provider = await scriptedProvider()
      await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml })
      provider.script(status(500))
      const { head } = await errorOf(chat(gateway))
      expect(head.header('x-should-retry')).toBe(should)
    }
  })

  test('the wait that a provider named is told, when others failed too', async () => {
    await using first = await scriptedProvider()
    await using second = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: first }, { provider: second }] } })
    first.script(status(429, {}, { 'retry-after': '7' }))
    second.script(status(401, {}))
    const { head } = await errorOf(chat(gateway))
    expect([head.status, head.header('retry-after'), head.header('x-should-retry')]).toEqual([502, '7', 'true'])
  })
})
