import type { PriceTable, ServedModel } from '../catalogue/index.ts'
import { type ConfigInput, MODEL_ID } from './config-schema.ts'
import { secretFromVariable } from './secrets.ts'
import type { Surroundings } from './surroundings.ts'

/** A provider that is known by heart: its key in the environment is all that is needed. */
interface Preset {
  /** Of the provider, of its backend, and in the price data. */
  readonly id: string
  readonly name: string
  readonly variable: string
  /** Base URL of its OpenAI-compatible API; null while its own dialect is not spoken. */
  readonly url: string | null
  readonly ownership: string
}

/** Each address is from the provider's documentation of its OpenAI-compatible API. */
export const PRESETS: readonly Preset[] = [
  preset('openai', 'OpenAI', 'OPENAI_API_KEY', 'https://api.openai.com/v1'),
  preset('openrouter', 'OpenRouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'),
  preset('groq', 'Groq', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1'),
  preset('mistral', 'Mistral', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1', 'fr'),
  preset('deepseek', 'DeepSeek', 'DEEPSEEK_API_KEY', 'https://api.deepseek.com/v1', 'cn'),
  preset('google', 'Gemini', 'GEMINI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta/openai'),
  preset('together', 'Together', 'TOGETHER_API_KEY', 'https://api.together.xyz/v1'),
  preset('fireworks', 'Fireworks', 'FIREWORKS_API_KEY', 'https://api.fireworks.ai/inference/v1'),
  preset('x-ai', 'xAI', 'XAI_API_KEY', 'https://api.x.ai/v1'),
  preset('anthropic', 'Anthropic', 'ANTHROPIC_API_KEY', null),
]

function preset(id: string, name: string, variable: string, url: string | null, ownership = 'us'): Preset {
  return { id, name, variable, url, ownership }
}

/** What became of a key that was found in the environment; without the key itself. */
export interface PresetState {
  readonly id: string
  readonly name: string
  readonly variable: string
  /** `configured`: the file names this provider itself; `no_dialect`: found, and served once its dialect is spoken. */
  readonly state: 'on' | 'configured' | 'no_dialect' | 'unusable'
  /** Why it is unusable. */
  readonly reason: string | null
  readonly models: number
}

export interface WithPresets {
  /** The file's own sections, and after them those of the presets. */
  readonly input: ConfigInput
  readonly states: readonly PresetState[]
}

/**
 * Adds the providers whose key is in the environment, when the file names no provider or says `presets: on`. Their models are called
 * `openai/gpt-4o-mini`; `gpt-4o-mini` is an alias where only one has it. What the file says itself always stays.
 */
export function addPresets(input: ConfigInput, surroundings: Surroundings, table: PriceTable): WithPresets {
  const isOn = input.presets === undefined ? Object.keys(input.providers).length === 0 : input.presets === 'on'
  const found = isOn ? PRESETS.filter(({ variable }) => (surroundings.env[variable] ?? '').trim() !== '') : []
  const wallMs = surroundings.wallMs()
  const judged = found.map((one) => judge(one, input, surroundings))
  const chosen = judged.flatMap(({ preset: { id, url, variable, ownership }, state }) =>
    state === 'on' && url !== null
      ? [{ id, url, variable, ownership, models: table.served(id, wallMs).filter(({ name }) => isUsable(id, name)) }]
      : [],
  )
  return {
    input: chosen.length === 0 ? input : merge(input, chosen),
    states: judged.map(({ preset: { id, name, variable }, state, reason }) => {
      const models = chosen.find((one) => one.id === id)?.models.length ?? 0
      return { id, name, variable, state, reason, models }
    }),
  }
}

const isUsable = (provider: string, name: string): boolean => MODEL_ID.test(`${provider}/${name}`)

type Judged = { readonly preset: Preset } & Pick<PresetState, 'state' | 'reason'>

function judge(one: Preset, input: ConfigInput, surroundings: Surroundings): Judged {
  const secret = secretFromVariable(one.variable, surroundings)
  if (secret.kind === 'problem') return { preset: one, state: 'unusable', reason: secret.reason }
  if (one.url === null) return { preset: one, state: 'no_dialect', reason: null }
  const backends = Object.values(input.providers).flatMap((provider) => Object.keys(provider.backends))
  const isNamed = Object.hasOwn(input.providers, one.id) || backends.includes(one.id)
  return { preset: one, state: isNamed ? 'configured' : 'on', reason: null }
}

interface Chosen extends Pick<Preset, 'id' | 'variable' | 'ownership'> {
  readonly url: string
  readonly models: readonly ServedModel[]
}

function merge(input: ConfigInput, chosen: readonly Chosen[]): ConfigInput {
  const models = { ...Object.fromEntries(chosen.flatMap(modelsOf)), ...input.models }
  const ordered = { ...input.models, ...models } // the file's own come first
  return {
    ...input,
    providers: { ...input.providers, ...Object.fromEntries(chosen.map(providerOf)) },
    models: ordered,
    aliases: { ...bareNames(chosen, ordered), ...input.aliases },
  }
}

const providerOf = ({ id, url, variable, ownership }: Chosen): [string, ConfigInput['providers'][string]] => [
  id,
  {
    dialects: ['openai'],
    ownership,
    credentials: [{ id: variable, env: variable }],
    backends: { [id]: { url, enabled: true } },
  },
]

const modelsOf = ({ id, models }: Chosen): [string, ConfigInput['models'][string]][] =>
  models.map(({ name, providerModel, price, contextTokensMax }) => [
    `${id}/${name}`,
    {
      ...(contextTokensMax === null ? {} : { context: contextTokensMax }),
      capabilities: [],
      offers: [{ backend: id, as: providerModel, price, cost: price, enabled: true }],
    },
  ])

/** Names without their provider, of those that only one provider has and that no model is called itself. */
function bareNames(chosen: readonly Chosen[], models: Readonly<Record<string, unknown>>): Record<string, string> {
  const owners = new Map<string, string | null>()
  for (const { id, models: served } of chosen)
    for (const { name } of served) owners.set(name, owners.has(name) ? null : `${id}/${name}`)
  const unique = [...owners].flatMap(([name, owner]): [string, string][] =>
    owner === null || Object.hasOwn(models, name) ? [] : [[name, owner]],
  )
  return Object.fromEntries(unique)
}
