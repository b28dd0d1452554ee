import { describe, expect, test } from 'bun:test'
import { anthropicErrorOf, ask, SPEAKS } from '../support/anthropic.ts'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { CHAT_PATH, errorOf, HELLO } from '../support/wire-chat.ts'

/** How each provider says that a request is wrong (400), and that it is asked too often (429). */
const SHAPES: Readonly<Record<string, (message: string, code: number) => unknown>> = {
  OpenAI: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  Azure: (message) => ({ error: { code: 'BadRequest', message, innererror: { code: 'X' } } }),
  Anthropic: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_p' }),
  Gemini: (message, code) => [{ error: { code, message, status: 'INVALID_ARGUMENT' } }],
  vLLM: (message, code) => ({ object: 'error', message, type: 'BadRequestError', param: null, code }),
  'vLLM, today': (message, code) => ({ error: { message, type: 'BadRequestError', param: null, code } }),
  Ollama: (message) => ({ error: message }),
  'llama.cpp': (message, code) => ({ error: { code, message, type: 'invalid_request_error' } }),
  Groq: (message) => ({
    error: { message, type: 'invalid_request_error', code: 'json_validate_failed', failed_generation: '' },
  }),
  Mistral: (message) => ({ object: 'error', message, type: 'invalid_request_invalid_args', param: null, code: '3051' }),
  'Mistral, of a field': (message) => ({ detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: message }] }),
  DeepSeek: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
  }),
  OpenRouter: (message, code) => ({
    error: { message, code, metadata: { provider_name: 'P', raw: 'x' } },
    user_id: 'u',
  }),
  'a proxy': (message) => `<html><head><title>${message}</title></head><body></body></html>`,
  'a text': (message) => message,
}

const WAITS: readonly (readonly [said: Readonly<Record<string, string>>, seconds: number | null])[] = [
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': '6500' }, 7],
  [{ 'retry-after': '7', 'retry-after-ms': '1500' }, 2],
  [{ 'retry-after': 'soon' }, null],
]

/** Gateways with one backend for each shape; all at one provider. */
async function worldOf(dialect: 'openai' | 'anthropic') {
  const provider = await scriptedProvider()
  const backend = dialect === 'openai' ? {} : SPEAKS
  const names = Object.keys(SHAPES).map((_, at) => `m${at}`)
  const offers = Object.fromEntries(names.map((name) => [name, [{ provider, backend, of: { id: `p-${name}` } }]]))
  const gateway = await startGateway({ offers })
  return {
    provider,
    gateway,
    ...endedInTurn(gateway, provider),
  }
}

const post = (gateway: TestGateway, path: string, model: string) =>
  rawRequest(gateway.origin, { path, headers: bearer(gateway), json: { model, messages: HELLO, max_tokens: 16 } })

const each = Object.values(SHAPES).map((shape, at) => ({ model: `m${at}`, shape }))

describe('what providers say of a request is told in the form of its caller', () => {
  test('OpenAI’s and OpenRouter’s', async () => {
    await using world = await worldOf('openai')
    const { gateway, provider } = world
    for (const { model, shape } of each) {
      provider.script(status(400, shape('the field is wrong', 400)))
      const plain = await errorOf(post(gateway, CHAT_PATH, model))
      expect(plain).toMatchObject({ status: 400, message: expect.stringContaining('the field is wrong') })
      expect([typeof plain.type, plain.code === null || typeof plain.code === 'string']).toEqual(['string', true])
      const router = post(gateway, `/api${CHAT_PATH}`, model)
      expect(await router.status()).toBe(400)
      expect(JSON.parse(await router.text()).error).toMatchObject({
        code: 400,
        message: expect.stringContaining('the field is wrong'),
      })
    }
  })

  test('Anthropic’s', async () => {
    await using world = await worldOf('anthropic')
    for (const { model, shape } of each) {
      world.provider.script(status(400, shape('the field is wrong', 400)))
      expect(await anthropicErrorOf(ask(world.gateway, { model }))).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        message: expect.stringContaining('the field is wrong'),
      })
    }
  })
})

test('a provider that is asked too often: 429 in every shape', async () => {
  await using world = await worldOf('openai')
  for (const { model, shape } of each) {
    world.provider.script(status(429, shape('slower', 429), { 'retry-after': '2' }))
    const error = await errorOf(post(world.gateway, CHAT_PATH, model))
    expect([error.status, error.head.header('x-should-retry')]).toEqual([429, 'true'])
    expect(error.head.header('retry-after')).toBe('2')
  }
})

test('a wait that a provider names is told in seconds and in ms', async () => {
  await using world = await worldOf('openai')
  for (const [at, [said, seconds]] of WAITS.entries()) {
    world.provider.script(status(429, { error: { message: 'slower' } }, said))
    const { head } = await errorOf(post(world.gateway, CHAT_PATH, `m${at}`))
    const told = [head.header('retry-after'), head.header('retry-after-ms')]
    if (seconds === null) expect(told).toEqual([null, null])
    else expect([Number(told[0]), Math.ceil(Number(told[1]) / 1000)]).toEqual([seconds, seconds])
  }
})

/** Whether a client tries again: what may have been executed, and what would be refused again, is not. */
const RETRIES: readonly (readonly [provider: number, caller: number, retry: string | null])[] = [
  [400, 400, null],
  [401, 502, 'false'],
  [402, 502, 'false'],
  [403, 502, 'false'],
  [429, 429, 'true'],
  [500, 502, 'false'],
]

test('x-should-retry', async () => {
  await using world = await worldOf('openai')
  for (const [at, [code, wanted, retry]] of RETRIES.entries()) {
    world.provider.script(status(code, { error: { message: 'x' } }))
    const { status: found, head } = await errorOf(post(world.gateway, CHAT_PATH, `m${at}`))
    expect([code, found, head.header('x-should-retry')]).toEqual([code, wanted, retry])
  }
})
