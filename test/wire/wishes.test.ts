import { expect, test } from 'bun:test'
import { bearer, type OfferSpec, startGateway, type TestGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { chat, keyWith } from '../support/wire-chat.ts'

const PREFIXES = [
  ['/v1', chat],
  ['/api/v1', apiChat],
] as const

type Ask = (typeof PREFIXES)[number][1]

interface Places {
  readonly gateway: TestGateway
  readonly north: ScriptedProvider
  readonly south: ScriptedProvider
  readonly ask: Ask
  /** Who served; of a refusal what it says. */
  servedBy(fields: object, headers?: Readonly<Record<string, string>>): Promise<unknown>
}

interface OffersSpec {
  readonly north?: Partial<OfferSpec>
  readonly south?: Partial<OfferSpec>
}

/** A test on both prefixes of one gateway: `m1` at the backends `north` and `south`, `m2` at `south2`, `m3` at `north3`; all answer with their provider's name. */
function onBoth(name: string, offers: OffersSpec, check: (places: Places) => Promise<void>): void {
  test(name, async () => {
    await using north = await scriptedProvider()
    await using south = await scriptedProvider()
    await using gateway = await startGateway({
      offers: {
        m1: [
          { provider: north, id: 'north', ...offers.north },
          { provider: south, id: 'south', ...offers.south },
        ],
        m2: [{ provider: south, id: 'south2' }],
        m3: [{ provider: north, id: 'north3' }],
      },
      yaml: { aliases: { second: 'm2' } },
    })
    for (const [, ask] of PREFIXES) {
      north.script(completion('north', 1, 1))
      south.script(completion('south', 1, 1))
      await check({ gateway, north, south, ask, servedBy: (...asked) => servedBy(gateway, ask, ...asked) })
    }
  })
}

async function servedBy(gateway: TestGateway, ask: Ask, fields: object, headers = {}): Promise<unknown> {
  const answer = ask(gateway, fields, { ...bearer(gateway), ...headers })
  const body = JSON.parse(await answer.text())
  if (body.error === undefined) return String(body.choices[0].message.content)
  const { code, metadata = body.error } = body.error
  return { status: (await answer.head()).status, code: metadata.code ?? code, excluded_by: metadata.excluded_by }
}

const FAULTS: readonly (readonly [fields: object, param: string])[] = [
  [{ models: 'm1' }, 'models'],
  [{ models: [1] }, 'models'],
  [{ models: new Array(17).fill('m1') }, 'models'],
  [{ provider: 'south' }, 'provider'],
  [{ provider: { only: 'south' } }, 'provider.only'],
  [{ provider: { order: [7] } }, 'provider.order'],
  [{ provider: { allow_fallbacks: 'no' } }, 'provider.allow_fallbacks'],
  [{ provider: { sort: 'best' } }, 'provider.sort'],
  [{ provider: { sort: { by: 'price', partition: 'all' } } }, 'provider.sort.partition'],
  [{ provider: { max_price: 1 } }, 'provider.max_price'],
  [{ provider: { max_price: { prompt: 'cheap' } } }, 'provider.max_price.prompt'],
  [{ provider: { max_price: { promt: 1 } } }, 'provider.max_price.promt'],
  [{ provider: { data_collection: 'maybe' } }, 'provider.data_collection'],
  [{ provider: { zdr: 1 } }, 'provider.zdr'],
  [{ provider: { quantizations: ['fp3'] } }, 'provider.quantizations'],
  [{ provider: { preferred_max_latency: -1 } }, 'provider.preferred_max_latency'],
  [{ provider: { preferred_min_throughput: { p95: 10 } } }, 'provider.preferred_min_throughput.p95'],
  [{ provider: { onyl: ['south'] } }, 'provider.onyl'],
  [{ session_id: 7 }, 'session_id'],
  [{ session_id: 's'.repeat(257) }, 'session_id'],
]

onBoth(
  '`order` comes first, `only` and `ignore` drop, whatever the way a name is written',
  {},
  async ({ servedBy }) => {
    expect(await servedBy({})).toBe('north')
    expect(await servedBy({ provider: { order: ['South'] } })).toBe('south')
    expect(await servedBy({ provider: { only: ['south'] } })).toBe('south')
    expect(await servedBy({ provider: { only: ['mock/south'] } })).toBe('south')
    expect(await servedBy({ provider: { ignore: ['NORTH'] } })).toBe('south')
    expect(await servedBy({ provider: { ignore: ['mock'] } })).toMatchObject({
      status: 404,
      code: 'no_matching_backend',
      excluded_by: ['allowed_providers'],
    })
  },
)

onBoth('without fallbacks nobody else is tried', {}, async ({ north, south, servedBy }) => {
  south.script(status(500))
  const fields = { provider: { order: ['south'], allow_fallbacks: false } }
  expect(await servedBy(fields)).toMatchObject({ status: 502, code: 'provider_failed' })
  south.script(status(500))
  expect(await servedBy({ provider: { order: ['south'] } })).toBe('north')
  north.script(status(500))
  expect(await servedBy({ provider: { allow_fallbacks: false } })).toMatchObject({ status: 502 })
})

onBoth('`x-anyrouter-provider` pins, `x-max-attempts` bounds', {}, async ({ north, south, servedBy }) => {
  expect(await servedBy({}, { 'x-anyrouter-provider': 'South' })).toBe('south')
  south.script(status(500))
  expect(await servedBy({}, { 'x-anyrouter-provider': 'south' })).toMatchObject({ status: 502 })
  expect(await servedBy({}, { 'x-anyrouter-provider': 'west' })).toMatchObject({
    status: 404,
    code: 'no_matching_backend',
  })
  north.script(status(500))
  expect(await servedBy({}, { 'x-max-attempts': '1' })).toMatchObject({ status: 502 })
  south.script(completion('south', 1, 1))
  expect(await servedBy({}, { 'x-max-attempts': '2' })).toBe('south')
  expect(await servedBy({}, { 'x-max-attempts': '0' })).toMatchObject({
    status: 400,
    code: 'invalid_request',
  })
})

onBoth(
  '`max_price` is never passed; `sort: price` and `:floor` take the cheapest, `:free` what is free alone',
  { south: { price: { input: '1', output: '2' } } },
  async ({ servedBy }) => {
    expect(await servedBy({ provider: { max_price: { prompt: 1, completion: '2' } } })).toBe('south')
    expect(await servedBy({ provider: { max_price: { prompt: 0.9 } } })).toMatchObject({
      status: 404,
      code: 'no_matching_backend',
      excluded_by: ['max_price'],
    })
    expect(await servedBy({ provider: { sort: 'price' } })).toBe('south')
    expect(await servedBy({ provider: { sort: { by: 'price' } } })).toBe('south')
    expect(await servedBy({ model: 'm1:floor' })).toBe('south')
    expect(await servedBy({ model: 'm1:free' })).toMatchObject({ status: 404, code: 'no_matching_backend' })
  },
)

onBoth(
  'an offer must know the parameters that are required, be able to do what is needed, and store its weights as is wished',
  {
    north: { offer: { parameters: ['max_tokens'], capabilities: ['tools'], quantization: 'fp4' } },
    south: { offer: { parameters: ['max_tokens', 'top_k'], capabilities: ['images'], quantization: 'bf16' } },
  },
  async ({ servedBy }) => {
    const required = { require_parameters: true }
    expect(await servedBy({ top_k: 3, provider: required })).toBe('south')
    expect(await servedBy({ top_k: 3, seed: 1, provider: required })).toMatchObject({
      status: 404,
      excluded_by: ['require_parameters'],
    })
    expect(await servedBy({ provider: { quantizations: ['fp8', 'BF16'] } })).toBe('south')
    expect(await servedBy({ provider: { quantizations: ['fp8'] } })).toMatchObject({
      excluded_by: ['quantization'],
    })
    const picture = { type: 'image_url', image_url: { url: 'https://a.example/1.png' } }
    const seeing = [{ role: 'user', content: [picture] }]
    expect(await servedBy({ messages: seeing })).toBe('south')
    expect(await servedBy({ messages: seeing, tools: [{ type: 'function', function: { name: 'f' } }] })).toMatchObject({
      status: 404,
      excluded_by: ['capabilities'],
    })
  },
)

onBoth(
  'a prompt too long for every context is a fault of the request; one that fits a longer context goes there',
  { north: { offer: { context: 10 } }, south: { offer: { context: 1000 } } },
  async ({ servedBy }) => {
    const long = (bytes: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(bytes) }] })
    expect(await servedBy(long(100))).toBe('south')
    expect(await servedBy(long(10_000))).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      excluded_by: ['context_length'],
    })
  },
)

onBoth(
  'several models are tried in order, and the answer says which one served',
  {},
  async ({ gateway, north, ask }) => {
    const explained = (fields: object) => ask(gateway, fields, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
    north.script(status(500))
    const answer = explained({ model: 'm3', models: ['nothing', 'second'] })
    expect(JSON.parse(await answer.text())).toMatchObject({ model: 'm2', choices: [{ message: { content: 'south' } }] })
    const told = JSON.parse((await answer.head()).header('x-anyrouter-explain') ?? '')
    expect(told).toMatchObject({
      model: 'm2',
      plan: [{ offer: 'north3/m3' }, { offer: 'south2/m2' }],
      skips: [{ offer: 'nothing', rule: 'known-model', reason: 'the model is not known' }],
    })
    expect(JSON.parse(await explained({ model: undefined, models: ['second', 'm1'] }).text()).model).toBe('m2')
    const unknown = explained({ model: 'x', models: ['y'] })
    expect((await unknown.head()).status).toBe(404)
    expect(await unknown.text()).toContain('model_not_found')
  },
)

onBoth('what the key may not use is not to be had by asking for it', {}, async ({ gateway, servedBy }) => {
  const { headers } = await keyWith(gateway, { models: ['m2'] })
  expect(await servedBy({ models: ['m1'] }, headers)).toMatchObject({ code: 'model_not_permitted' })
})

onBoth('what is out for a time is a 503, even when a wish dropped the rest', {}, async ({ gateway, servedBy }) => {
  await gateway.admin('PUT', '/quarantine/south', { for_ms: 60_000, reason: 'out' })
  expect(await servedBy({ provider: { only: ['south'] } })).toMatchObject({
    status: 503,
    code: 'no_backend',
  })
})

onBoth('what is not understood is named, and nothing is sent', {}, async ({ gateway, north, south, ask }) => {
  for (const [fields, param] of FAULTS) {
    const answer = ask(gateway, fields)
    const { error } = JSON.parse(await answer.text())
    expect({ status: (await answer.head()).status, param: (error.metadata ?? error).param }).toEqual({
      status: 400,
      param,
    })
  }
  expect(north.requests.length + south.requests.length).toBe(0)
})

onBoth(
  'a provider gets the body as it came, without what is for the gateway alone',
  {},
  async ({ north, servedBy }) => {
    await servedBy({
      models: ['m1'],
      provider: { sort: 'latency' },
      route: 'fallback',
      session_id: 's',
      transforms: [],
      trace: { trace_id: 't', generation_name: 'g' },
      usage: { include: true },
      user: 'u',
      prompt_cache_key: 'k',
      top_k: 1,
    })
    const sent = bodyOf(north)
    expect(sent).toEqual({
      model: 'provider-m1',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 16,
      user: 'u',
      prompt_cache_key: 'k',
      top_k: 1,
    })
  },
)

function bodyOf(provider: ScriptedProvider): unknown {
  return JSON.parse(provider.requests.at(-1)?.body.toString() ?? '')
}
