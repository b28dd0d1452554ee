import { expect, test } from 'bun:test'
import { bearer, type GatewaySpec, type OfferSpec, startGateway, type TestGateway } from '../support/gateway.ts'
import { status } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { chat, keyWith } from '../support/wire-chat.ts'

/** A backend `north` and a backend `south` that serve `m1`; both answer everything. */
async function placesOf(
  offers: { north?: Partial<OfferSpec>; south?: Partial<OfferSpec> } = {},
  more: Partial<GatewaySpec> = {},
) {
  const north = await scriptedProvider()
  const south = await scriptedProvider()
  const gateway = await startGateway({
    offers: {
      m1: [
        { provider: north, id: 'north', ...offers.north },
        { provider: south, id: 'south', ...offers.south },
      ],
      m2: [{ provider: north, id: 'north2' }],
    },
    ...more,
  })
  north.script(completion('north', 1, 1))
  south.script(completion('south', 1, 1))
  return {
    north,
    south,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await north[Symbol.asyncDispose]()
      await south[Symbol.asyncDispose]()
    },
  }
}

const PREFIXES = [
  ['/v1', chat],
  ['/api/v1', apiChat],
] as const

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

type Ask = (typeof PREFIXES)[number][1]
type ServedBy = (gateway: TestGateway, fields: object, headers?: Readonly<Record<string, string>>) => Promise<unknown>

/** Who served; of a refusal what it says. */
const servedThrough =
  (ask: Ask): ServedBy =>
  async (gateway, fields, headers = {}) => {
    const answer = ask(gateway, fields, { ...bearer(gateway), ...headers })
    const body = JSON.parse(await answer.text())
    if (body.error === undefined) return String(body.choices[0].message.content)
    const { code, metadata = body.error } = body.error
    return { status: (await answer.head()).status, code: metadata.code ?? code, excluded_by: metadata.excluded_by }
  }

/** A test for each prefix. */
function onBoth(name: string, check: (servedBy: ServedBy, ask: Ask) => Promise<void>): void {
  for (const [prefix, ask] of PREFIXES) test(`${prefix}: ${name}`, () => check(servedThrough(ask), ask))
}

onBoth('`order` comes first, `only` and `ignore` drop, whatever the way a name is written', async (servedBy) => {
  await using places = await placesOf()
  const { gateway } = places
  expect(await servedBy(gateway, {})).toBe('north')
  expect(await servedBy(gateway, { provider: { order: ['South'] } })).toBe('south')
  expect(await servedBy(gateway, { provider: { only: ['south'] } })).toBe('south')
  expect(await servedBy(gateway, { provider: { only: ['mock/south'] } })).toBe('south')
  expect(await servedBy(gateway, { provider: { ignore: ['NORTH'] } })).toBe('south')
  expect(await servedBy(gateway, { provider: { ignore: ['mock'] } })).toMatchObject({
    status: 404,
    code: 'no_matching_backend',
    excluded_by: ['allowed_providers'],
  })
})

onBoth('without fallbacks nobody else is tried', async (servedBy) => {
  await using places = await placesOf()
  const { gateway, south, north } = places
  south.script(status(500))
  const fields = { provider: { order: ['south'], allow_fallbacks: false } }
  expect(await servedBy(gateway, fields)).toMatchObject({ status: 502, code: 'provider_failed' })
  south.script(status(500))
  expect(await servedBy(gateway, { provider: { order: ['south'] } })).toBe('north')
  north.script(status(500))
  expect(await servedBy(gateway, { provider: { allow_fallbacks: false } })).toMatchObject({ status: 502 })
})

onBoth('`x-anyrouter-provider` pins, `x-max-attempts` bounds', async (servedBy) => {
  await using places = await placesOf()
  const { gateway, south, north } = places
  expect(await servedBy(gateway, {}, { 'x-anyrouter-provider': 'South' })).toBe('south')
  south.script(status(500))
  expect(await servedBy(gateway, {}, { 'x-anyrouter-provider': 'south' })).toMatchObject({ status: 502 })
  expect(await servedBy(gateway, {}, { 'x-anyrouter-provider': 'west' })).toMatchObject({
    status: 404,
    code: 'no_matching_backend',
  })
  north.script(status(500))
  expect(await servedBy(gateway, {}, { 'x-max-attempts': '1' })).toMatchObject({ status: 502 })
  south.script(completion('south', 1, 1))
  expect(await servedBy(gateway, {}, { 'x-max-attempts': '2' })).toBe('south')
  expect(await servedBy(gateway, {}, { 'x-max-attempts': '0' })).toMatchObject({
    status: 400,
    code: 'invalid_request',
  })
})

onBoth(
  '`max_price` is never passed; `sort: price` and `:floor` take the cheapest, `:free` what is free alone',
  async (servedBy) => {
    await using places = await placesOf({ south: { price: { input: '1', output: '2' } } })
    const { gateway } = places
    expect(await servedBy(gateway, { provider: { max_price: { prompt: 1, completion: '2' } } })).toBe('south')
    expect(await servedBy(gateway, { provider: { max_price: { prompt: 0.9 } } })).toMatchObject({
      status: 404,
      code: 'no_matching_backend',
      excluded_by: ['max_price'],
    })
    expect(await servedBy(gateway, { provider: { sort: 'price' } })).toBe('south')
    expect(await servedBy(gateway, { provider: { sort: { by: 'price' } } })).toBe('south')
    expect(await servedBy(gateway, { model: 'm1:floor' })).toBe('south')
    expect(await servedBy(gateway, { model: 'm1:free' })).toMatchObject({ status: 404, code: 'no_matching_backend' })
  },
)

onBoth(
  'an offer must know the parameters that are required, be able to do what is needed, and store its weights as is wished',
  async (servedBy) => {
    await using places = await placesOf({
      north: { offer: { parameters: ['max_tokens'], capabilities: ['tools'], quantization: 'fp4' } },
      south: { offer: { parameters: ['max_tokens', 'top_k'], capabilities: ['images'], quantization: 'bf16' } },
    })
    const { gateway } = places
    const required = { require_parameters: true }
    expect(await servedBy(gateway, { top_k: 3, provider: required })).toBe('south')
    expect(await servedBy(gateway, { top_k: 3, seed: 1, provider: required })).toMatchObject({
      status: 404,
      excluded_by: ['require_parameters'],
    })
    expect(await servedBy(gateway, { provider: { quantizations: ['fp8', 'BF16'] } })).toBe('south')
    expect(await servedBy(gateway, { provider: { quantizations: ['fp8'] } })).toMatchObject({
      excluded_by: ['quantization'],
    })
    const picture = { type: 'image_url', image_url: { url: 'https://a.example/1.png' } }
    const seeing = [{ role: 'user', content: [picture] }]
    expect(await servedBy(gateway, { messages: seeing })).toBe('south')
    expect(
      await servedBy(gateway, { messages: seeing, tools: [{ type: 'function', function: { name: 'f' } }] }),
    ).toMatchObject({
      status: 404,
      excluded_by: ['capabilities'],
    })
  },
)

onBoth(
  'a prompt too long for every context is a fault of the request; one that fits a longer context goes there',
  async (servedBy) => {
    await using places = await placesOf({ north: { offer: { context: 10 } }, south: { offer: { context: 1000 } } })
    const { gateway } = places
    const long = (bytes: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(bytes) }] })
    expect(await servedBy(gateway, long(100))).toBe('south')
    expect(await servedBy(gateway, long(10_000))).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      excluded_by: ['context_length'],
    })
  },
)

onBoth('several models are tried in order, and the answer says which one served', async (_, ask) => {
  const north = await scriptedProvider()
  await using _north = north
  await using south = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider: north, id: 'north' }], m2: [{ provider: south, id: 'south' }] },
    yaml: { aliases: { second: 'm2' } },
  })
  north.script(status(500))
  south.script(completion('south', 1, 1))
  const ask2 = (fields: object) => ask(gateway, fields, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
  const answer = ask2({ models: ['nothing', 'second'] })
  expect(JSON.parse(await answer.text())).toMatchObject({ model: 'm2', choices: [{ message: { content: 'south' } }] })
  const told = JSON.parse((await answer.head()).header('x-anyrouter-explain') ?? '')
  expect(told).toMatchObject({
    model: 'm2',
    plan: [{ offer: 'north/m1' }, { offer: 'south/m2' }],
    skips: [{ offer: 'nothing', rule: 'known-model', reason: 'the model is not known' }],
  })
  expect(JSON.parse(await ask2({ model: undefined, models: ['second', 'm1'] }).text()).model).toBe('m2')
  const unknown = ask2({ model: 'x', models: ['y'] })
  expect((await unknown.head()).status).toBe(404)
  expect(await unknown.text()).toContain('model_not_found')
})

onBoth('what the key may not use is not to be had by asking for it', async (servedBy) => {
  await using places = await placesOf()
  const { gateway } = places
  const { headers } = await keyWith(gateway, { models: ['m2'] })
  expect(await servedBy(gateway, { models: ['m1'] }, headers)).toMatchObject({ code: 'model_not_permitted' })
})

onBoth('what is out for a time is a 503, even when a wish dropped the rest', async (servedBy) => {
  await using places = await placesOf()
  const { gateway } = places
  await gateway.admin('PUT', '/quarantine/south', { for_ms: 60_000, reason: 'out' })
  expect(await servedBy(gateway, { provider: { only: ['south'] } })).toMatchObject({
    status: 503,
    code: 'no_backend',
  })
})

onBoth('what is not understood is named, and nothing is sent', async (_, ask) => {
  await using places = await placesOf()
  for (const [fields, param] of FAULTS) {
    const answer = ask(places.gateway, fields)
    const { error } = JSON.parse(await answer.text())
    expect({ status: (await answer.head()).status, param: (error.metadata ?? error).param }).toEqual({
      status: 400,
      param,
    })
  }
  expect(places.north.requests.length + places.south.requests.length).toBe(0)
})

onBoth('a provider gets the body as it came, without what is for the gateway alone', async (servedBy) => {
  await using places = await placesOf()
  const { gateway, north } = places
  await servedBy(gateway, {
    models: ['m1'],
    provider: { sort: 'latency' },
    route: 'fallback',
    session_id: 's',
    transforms: [],
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
})

function bodyOf(provider: ScriptedProvider): unknown {
  return JSON.parse(provider.requests.at(-1)?.body.toString() ?? '')
}
