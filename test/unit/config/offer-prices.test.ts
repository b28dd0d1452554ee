import { describe, expect, test } from 'bun:test'
import { configOf, problemsOf } from './support.ts'

/** One model with one offer of a provider of this name, at this address. */
const withProvider = (id: string, offer: string, url = 'http://127.0.0.1:9/v1'): string =>
  `providers:\n  ${id}:\n    backends: { a: { url: "${url}" } }\nmodels:\n  m:\n    offers:\n      - ${offer}\n`

const offerOf = async (yaml: string) => {
  const model = (await configOf(yaml)).catalogue.models.get('m')
  return { ...model?.offers[0], modelContext: model?.contextTokensMax }
}

describe('price: genai-prices', () => {
  test('is found by the address, or by the name of the provider, with tiers and the length of the context', async () => {
    const offer = '{ backend: a, as: gpt-5.4, price: genai-prices }'
    for (const yaml of [withProvider('openai', offer), withProvider('me', offer, 'https://api.openai.com/v1')]) {
      const { price, cost, contextTokensMax, modelContext } = await offerOf(yaml)
      expect(price).toEqual({
        input: 2_500_000_000,
        cachedInput: 250_000_000,
        output: 15_000_000_000,
        perSearch: 10_000_000,
        tiers: [{ promptTokensFrom: 272_000, input: 5_000_000_000, cachedInput: 500_000_000, output: 22_500_000_000 }],
      })
      expect([cost, contextTokensMax, modelContext]).toEqual([price, 1_050_000, 1_050_000])
    }
  })

  test('the context in the file goes before the one in the data', async () => {
    const yaml = withProvider('openai', '{ backend: a, as: gpt-4o, price: genai-prices }')
    const { contextTokensMax } = await offerOf(yaml.replace('offers:', 'context: 1000\n    offers:'))
    expect(contextTokensMax).toBe(1000)
  })

  test('cost is known from the data by itself; the price is not', async () => {
    const { price, cost } = await offerOf(withProvider('openai', '{ backend: a, as: gpt-4o-mini }'))
    expect(price).toBeNull()
    expect(cost).toMatchObject({ input: 150_000_000 })
    const own = await offerOf(withProvider('openai', '{ backend: a, as: gpt-4o-mini, cost: { input: 1, output: 2 } }'))
    expect(own.cost).toEqual({ input: 1_000_000_000, output: 2_000_000_000 })
    expect((await offerOf(withProvider('acme', '{ backend: a, as: gpt-4o-mini }'))).cost).toBeNull()
  })

  test('that cannot be had is told, with its line and what to do', async () => {
    expect(await problemsOf(withProvider('acme', '{ backend: a, price: genai-prices }'))).toMatchObject([
      {
        path: 'models.m.offers.0.price',
        line: 7,
        column: 30,
        reason: "the price data knows neither the url of 'a' nor a provider 'acme'",
        suggestion: 'Write the price: { input: "0.15", output: "0.60" }',
      },
    ])
    expect(
      await problemsOf(withProvider('openai', '{ backend: a, as: gpt-4o-mimi, price: genai-prices }')),
    ).toMatchObject([
      {
        reason: "the price data has no model 'gpt-4o-mimi' of openai",
        suggestion: 'Did you mean as: gpt-4o-mini? Else write the price.',
      },
    ])
    expect(
      await problemsOf(withProvider('xai', '{ backend: a, as: grok-voice-latest, cost: genai-prices }')),
    ).toMatchObject([
      {
        path: 'models.m.offers.0.cost',
        reason: expect.stringContaining("cannot price 'grok-voice-latest': its price goes by input_text"),
      },
    ])
  })
})

describe('a price in the file', () => {
  test('has tiers, exact to the last digit', async () => {
    const tiers =
      '[{ from_tokens: 1000, input: 0.3, output: 0.000000001 }, { from_tokens: 2000, input: "0.4", output: 1, reasoning: 2 }]'
    const { price } = await offerOf(
      withProvider('acme', `{ backend: a, price: { input: 0.1, output: 0.2, tiers: ${tiers} } }`),
    )
    expect(price).toEqual({
      input: 100_000_000,
      output: 200_000_000,
      tiers: [
        { promptTokensFrom: 1000, input: 300_000_000, output: 1 },
        { promptTokensFrom: 2000, input: 400_000_000, output: 1_000_000_000, reasoning: 2_000_000_000 },
      ],
    })
  })

  test('has every kind, and what is billed by itself; quotes are optional', async () => {
    const kinds =
      'input: 1, output: 2, cache_write_long: 3, input_audio: 4, cached_input_audio: 5, input_image: 6, cached_input_image: 7, output_audio: 8, output_image: 9'
    const each =
      'per_request: 0.01, per_image: 0.04, per_search: "0.002", per_audio_hour: 0.111, per_million_characters: 15'
    const { price } = await offerOf(withProvider('acme', `{ backend: a, price: { ${kinds}, ${each} } }`))
    const USD = 1_000_000_000
    expect(price).toEqual({
      ...{ input: USD, output: 2 * USD, cacheWriteLong: 3 * USD, inputAudio: 4 * USD, cachedInputAudio: 5 * USD },
      ...{ inputImage: 6 * USD, cachedInputImage: 7 * USD, outputAudio: 8 * USD, outputImage: 9 * USD },
      ...{ perRequest: USD / 100, perImage: 40_000_000, perSearch: 2_000_000, perAudioHour: 111_000_000 },
      perMillionCharacters: 15 * USD,
    })
  })

  test.each([
    [
      'genai-price',
      'models.m.offers.0.price',
      'must be a set of prices, { input: "0.15", output: "0.60" }, or genai-prices',
    ],
    ['[1]', 'models.m.offers.0.price', 'must be a set of prices, { input: "0.15", output: "0.60" }, or genai-prices'],
    ['{ input: 1 }', 'models.m.offers.0.price.output', "'output' is missing"],
    [
      '{ input: 1, output: 1, outputs: 1 }',
      'models.m.offers.0.price.outputs',
      "'outputs' is not a setting of this version",
    ],
    [
      '{ input: -1, output: 1 }',
      'models.m.offers.0.price.input',
      'must be a price in USD per million: plain decimal digits, at most 7 before the point and 9 after it',
    ],
    [
      '{ input: 1, output: 1, tiers: [{ from_tokens: 0, input: 1, output: 1 }] }',
      'models.m.offers.0.price.tiers.0.from_tokens',
      'must be at least 1',
    ],
    [
      '{ input: 1, output: 1, tiers: [{ from_tokens: 5, input: 1 }] }',
      'models.m.offers.0.price.tiers.0.output',
      "'output' is missing",
    ],
    [
      '{ input: 1, output: 1, tiers: [{ from_tokens: 5, input: 1, output: 1 }, { from_tokens: 5, input: 2, output: 2 }] }',
      'models.m.offers.0.price.tiers',
      'must be in ascending order of from_tokens',
    ],
    [
      '{ input: 1, output: 1, tiers: [{ form_tokens: 5, input: 1, output: 1 }] }',
      'models.m.offers.0.price.tiers.0.form_tokens',
      "'form_tokens' is not a setting of this version",
    ],
  ])('%s: the reason at its place', async (text, path, reason) => {
    const problems = await problemsOf(withProvider('acme', `{ backend: a, price: ${text} }`))
    expect(problems).toContainEqual(expect.objectContaining({ path, line: 7, reason }))
  })

  test('an unknown kind is told with the nearest', async () => {
    const [problem] = await problemsOf(
      withProvider('acme', '{ backend: a, price: { input: 1, outptu: 1, output: 1 } }'),
    )
    expect(problem?.suggestion).toBe("Did you mean 'output'?")
  })
})

test('data handling of a provider: none, or days', async () => {
  const dataOf = async (data: string) =>
    (
      await configOf(`providers:\n  p:\n    data: ${data}\n    backends: { a: { url: "http://h" } }\n`)
    ).catalogue.backends.get('a')?.provider.data
  expect(await dataOf('{ retention: none, training: false }')).toEqual({ retentionDays: 0, training: false })
  expect(await dataOf('{ retention: 30 }')).toEqual({ retentionDays: 30, training: null })
  expect(
    await problemsOf('providers: { p: { data: { retention: some }, backends: { a: { url: "http://h" } } } }'),
  ).toMatchObject([{ path: 'providers.p.data.retention', reason: 'must be none, or a number of days' }])
})
