import { describe, expect, test } from 'bun:test'
import { buildCatalogue, findModel } from '../../../src/catalogue/index.ts'
import { loadConfig } from '../../../src/config/index.ts'
import { KNOWN_PRESETS } from '../../../src/config/known-presets.ts'
import { configOf, problemsOf, surroundings, withOffer } from './support.ts'

const OPENAI = { OPENAI_API_KEY: 'sk-openai-canary' }

async function bare(env: Record<string, string>) {
  const loaded = await loadConfig(null, surroundings({}, env))
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

describe('a key in the environment, and no file', () => {
  test('is a provider with its chat models, each priced, under both of its names', async () => {
    const { catalogue, presets } = await bare(OPENAI)
    expect(catalogue.backends.get('openai')).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      provider: { id: 'openai', ownership: 'us', credentials: [{ id: 'OPENAI_API_KEY', secret: 'sk-openai-canary' }] },
    })
    expect(catalogue.models.get('openai/gpt-4o-mini')).toMatchObject({
      contextTokensMax: 128_000,
      offers: [
        {
          id: 'openai/openai/gpt-4o-mini',
          providerModel: 'gpt-4o-mini',
          price: { input: 150_000_000, cachedInput: 75_000_000, output: 600_000_000 },
          cost: { input: 150_000_000, cachedInput: 75_000_000, output: 600_000_000 },
        },
      ],
    })
    expect(catalogue.aliases.get('gpt-4o-mini')).toBe('openai/gpt-4o-mini')
    expect(presets).toEqual([
      {
        id: 'openai',
        name: 'OpenAI',
        variable: 'OPENAI_API_KEY',
        state: 'on',
        reason: null,
        models: catalogue.models.size,
        sample: 'openai/gpt-4o-mini',
      },
    ])
    expect(JSON.stringify(presets)).not.toContain('canary')
  })

  test('each of them serves; the catalogue that they make is sound', async () => {
    const env = Object.fromEntries(KNOWN_PRESETS.map(({ variable }) => [variable, 'sk-any']))
    const { catalogue, presets } = await bare(env)
    expect(presets.map(({ variable, state }) => `${variable} ${state}`)).toEqual([
      'OPENAI_API_KEY on',
      'OPENROUTER_API_KEY on',
      'GROQ_API_KEY on',
      'MISTRAL_API_KEY on',
      'DEEPSEEK_API_KEY on',
      'GEMINI_API_KEY on',
      'TOGETHER_API_KEY on',
      'FIREWORKS_API_KEY on',
      'XAI_API_KEY on',
      'ANTHROPIC_API_KEY on',
    ])
    expect(catalogue.backends.size).toBe(10)
    expect(catalogue.models.size).toBe(presets.reduce((sum, { models }) => sum + models, 0))
    for (const { sample } of presets) expect(catalogue.models.has(sample ?? '')).toBe(true)
    const built = buildCatalogue(catalogue, { version: 1, createdAtS: 0 })
    expect(findModel(built, 'google/gemini-2.5-flash')?.offers[0]?.providerModel).toBe('gemini-2.5-flash')
    expect(findModel(built, 'gemini-2.5-flash')?.id).toBe('google/gemini-2.5-flash')
    expect(findModel(built, 'openrouter/openai/gpt-4o-mini')?.offers[0]?.providerModel).toBe('openai/gpt-4o-mini')
    expect(findModel(built, 'claude-sonnet-4-5-20250929')?.offers[0]).toMatchObject({
      providerModel: 'claude-sonnet-4-5-20250929',
      backend: { baseUrl: 'https://api.anthropic.com/v1', dialects: ['anthropic'] },
      price: { input: 3e9, cacheWrite: 3.75e9, cachedInput: 0.3e9, output: 15e9 },
    })
    expect(built.backends.get('openrouter')?.dialects).toEqual(['openai', 'anthropic'])
    // A name that a model has itself is not taken from it; one that several providers have stands for none of them.
    expect(findModel(built, 'openai/gpt-4o-mini')?.offers[0]?.backend.id).toBe('openai')
    expect(findModel(built, 'groq/openai/gpt-oss-120b')).not.toBeNull()
    expect(findModel(built, 'openrouter/openai/gpt-oss-120b')).not.toBeNull()
    expect(findModel(built, 'openai/gpt-oss-120b')).toBeNull()
  })

  test('OpenRouter alone: the names of its models work as it spells them', async () => {
    const { aliases } = (await bare({ OPENROUTER_API_KEY: 'sk-or' })).catalogue
    expect(aliases.get('openai/gpt-4o-mini')).toBe('openrouter/openai/gpt-4o-mini')
  })

  test('an empty one is none; one that no header can carry is told, without being shown', async () => {
    expect((await bare({ OPENAI_API_KEY: ' ' })).presets).toEqual([])
    const { catalogue, presets } = await bare({ OPENAI_API_KEY: 'canary canary', GROQ_API_KEY: 'gsk' })
    expect(presets).toMatchObject([
      { id: 'openai', state: 'unusable', models: 0, reason: expect.stringContaining('OPENAI_API_KEY has spaces') },
      { id: 'groq', state: 'on' },
    ])
    expect(JSON.stringify(presets)).not.toContain('canary')
    expect([...catalogue.backends.keys()]).toEqual(['groq'])
  })
})

describe('with a file', () => {
  test('that names a provider they are off; presets: on adds them, off ends them', async () => {
    const own = await configOf(withOffer('{ backend: a }'), OPENAI)
    expect([[...own.catalogue.backends.keys()], own.presets]).toEqual([['a'], []])
    const both = await configOf(`presets: on\n${withOffer('{ backend: a }')}`, OPENAI)
    expect([...both.catalogue.backends.keys()]).toEqual(['a', 'openai'])
    expect([...both.catalogue.models.keys()].slice(0, 1)).toEqual(['m'])
    expect((await configOf('presets: off', OPENAI)).catalogue.backends.size).toBe(0)
    expect((await configOf('server: { port: 1 }', OPENAI)).catalogue.backends.size).toBe(1)
    expect(await problemsOf('presets: maybe')).toMatchObject([
      { path: 'presets', reason: expect.stringMatching(/^must be on, off, or a list of these: openai, /) },
    ])
  })

  test('what it says itself stays: a provider, a model, an alias; its models may use what presets bring', async () => {
    const yaml = `presets: on
providers:
  openai:
    credentials: [{ id: mine, env: MY_KEY }]
    backends: { openai-eu: { url: "https://eu.api.openai.com/v1" } }
models:
  groq/llama-3.3-70b-versatile: { offers: [{ backend: openai-eu }] }
  mine: { offers: [{ backend: groq, as: llama-3.1-8b-instant, price: genai-prices }] }
aliases: { llama-3.1-8b-instant: mine, fast: groq/llama-3.1-8b-instant }
`
    const { catalogue, presets } = await configOf(yaml, { ...OPENAI, MY_KEY: 'sk-mine', GROQ_API_KEY: 'gsk' })
    expect(presets.map(({ id, state }) => [id, state])).toEqual([
      ['openai', 'configured'],
      ['groq', 'on'],
    ])
    expect([...catalogue.backends.keys()]).toEqual(['openai-eu', 'groq'])
    expect(catalogue.models.get('groq/llama-3.3-70b-versatile')?.offers[0]?.backend.id).toBe('openai-eu')
    expect(catalogue.models.get('mine')?.offers[0]?.price).toEqual({ input: 50_000_000, output: 80_000_000 })
    expect(catalogue.aliases.get('llama-3.1-8b-instant')).toBe('mine')
    expect(catalogue.aliases.get('fast')).toBe('groq/llama-3.1-8b-instant')
  })

  test('a list of them takes those alone, also beside providers of the file; what it lists must be there', async () => {
    const env = { ...OPENAI, GROQ_API_KEY: 'gsk', ANTHROPIC_API_KEY: 'sk-ant' }
    const { catalogue, presets } = await configOf(`presets: [groq]\n${withOffer('{ backend: a }')}`, env)
    expect([...catalogue.backends.keys()]).toEqual(['a', 'groq'])
    expect(presets.map(({ id }) => id)).toEqual(['groq'])
    expect(await problemsOf('presets:\n  - openai\n  - mistral\n  - anthropic\n', env)).toMatchObject([
      {
        path: 'presets.1',
        line: 3,
        column: 5,
        reason: 'the environment variable MISTRAL_API_KEY is not set',
        suggestion: 'export MISTRAL_API_KEY=…',
      },
    ])
    expect(await problemsOf('presets: [opnai]', env)).toMatchObject([
      { path: 'presets.0', line: 1, column: 11, suggestion: "Did you mean 'openai'?" },
    ])
  })

  test('a backend of its name elsewhere in the file keeps a preset out', async () => {
    const yaml = 'presets: on\nproviders:\n  me:\n    backends: { openai: { url: "http://127.0.0.1:9" } }\n'
    const { catalogue, presets } = await configOf(yaml, OPENAI)
    expect(presets).toMatchObject([{ id: 'openai', state: 'configured' }])
    expect(catalogue.backends.get('openai')?.provider.id).toBe('me')
  })
})

test('several providers in one file; Ollama, vLLM and llama.cpp are backends like any other', async () => {
  const { catalogue } = await configOf(
    `
providers:
  openai: { credentials: [{ id: main, env: OPENAI_API_KEY }], backends: { openai: { url: https://api.openai.com/v1 } } }
  ollama: { backends: { ollama: { url: "http://127.0.0.1:11434/v1", slots: 2 } } }
  vllm: { backends: { vllm: { url: "http://10.0.0.5:8000/v1" } } }
  llama-cpp: { backends: { llama-cpp: { url: "http://127.0.0.1:8081/v1", slots: 1 } } }
models:
  small: { offers: [{ backend: ollama, as: "llama3.2:3b" }, { backend: openai, as: gpt-5-nano, price: genai-prices }] }
  big: { offers: [{ backend: vllm, as: Qwen/Qwen3-32B, price: { input: 0, output: 0 } }, { backend: llama-cpp }] }
`,
    OPENAI,
  )
  expect([...catalogue.backends.keys()]).toEqual(['openai', 'ollama', 'vllm', 'llama-cpp'])
  expect(catalogue.models.get('small')?.offers.map(({ backend, price }) => [backend.id, price?.input ?? null])).toEqual(
    [
      ['ollama', null],
      ['openai', 50_000_000],
    ],
  )
})
