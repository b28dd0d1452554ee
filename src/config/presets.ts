import type { PriceTable, ServedModel } from '../catalogue/index.ts'
import type { DialectName } from '../domain/index.ts'
import { type ConfigInput, isModelName } from './config-schema.ts'
import { KNOWN_PRESETS, type Preset } from './known-presets.ts'
import { type Place, problemIn } from './parse-yaml.ts'
import type { Problem } from './problem.ts'
import { secretFromVariable } from './secrets.ts'
import type { Surroundings } from './surroundings.ts'

/** What became of a known provider whose key is in the environment, or that the file asks for; without the key itself. */
export interface PresetState {
  readonly id: string
  readonly name: string
  readonly variable: string
  /** `configured`: the file describes this provider itself. */
  readonly state: 'on' | 'configured' | 'unusable'
  /** Why it is unusable. */
  readonly reason: string | null
  readonly models: number
  /** One of its models, to try. */
  readonly sample: string | null
}

export interface WithPresets {
  /** The file's own sections, and after them those of the presets. */
  readonly input: ConfigInput
  readonly states: readonly PresetState[]
}

/**
 * Adds the providers whose key is in the environment, when the file names no provider or says `presets: on`, or those that it lists.
 * Their models are called
 * `openai/gpt-4o-mini`; `gpt-4o-mini` is an alias where only one has it. What the file says itself always stays.
 */
export function addPresets(input: ConfigInput, surroundings: Surroundings, table: PriceTable): WithPresets {
  const wallMs = surroundings.wallMs()
  const judged = wanted(input, surroundings).map((one) => judge(one, input, surroundings))
  const chosen = judged.flatMap(({ preset, state }): Chosen[] => {
    const { id, url, dialects = OPENAI, variable, ownership } = preset
    if (state !== 'on') return []
    const models = table.served(id, wallMs).filter(({ name }) => isModelName(`${id}/${name}`))
    return [{ id, url, dialects, variable, ownership, models }]
  })
  return {
    input: chosen.length === 0 ? input : merge(input, chosen),
    states: judged.map(({ preset: { id, name, variable, sample }, state, reason }) => {
      const models = chosen.find((one) => one.id === id)?.models.length ?? 0
      return { id, name, variable, state, reason, models, sample: state === 'on' ? `${id}/${sample}` : null }
    }),
  }
}

/** What the file asks for by name must be there. */
export function presetProblems({ presets }: ConfigInput, states: readonly PresetState[], place: Place): Problem[] {
  if (!Array.isArray(presets)) return []
  return states.flatMap(({ id, variable, state, reason }) => {
    if (state === 'on' || state === 'configured') return []
    return [problemIn(place, ['presets', presets.indexOf(id)], reason ?? '', `export ${variable}=…`)]
  })
}

function wanted({ presets, providers }: ConfigInput, { env }: Surroundings): readonly Preset[] {
  if (Array.isArray(presets)) return KNOWN_PRESETS.filter(({ id }) => presets.includes(id))
  const isOn = presets === undefined ? Object.keys(providers).length === 0 : presets === 'on'
  return isOn ? KNOWN_PRESETS.filter(({ variable }) => (env[variable] ?? '').trim() !== '') : []
}

const OPENAI: readonly DialectName[] = ['openai']

type Judged = { readonly preset: Preset } & Pick<PresetState, 'state' | 'reason'>

function judge(one: Preset, input: ConfigInput, surroundings: Surroundings): Judged {
  const secret = secretFromVariable(one.variable, surroundings)
  if (secret.kind === 'problem') return { preset: one, state: 'unusable', reason: secret.reason }
  const backends = Object.values(input.providers).flatMap((provider) => Object.keys(provider.backends))
  const isNamed = Object.hasOwn(input.providers, one.id) || backends.includes(one.id)
  return { preset: one, state: isNamed ? 'configured' : 'on', reason: null }
}

interface Chosen extends Pick<Preset, 'id' | 'url' | 'variable' | 'ownership'> {
  readonly dialects: readonly DialectName[]
  readonly models: readonly ServedModel[]
}

function merge(input: ConfigInput, chosen: readonly Chosen[]): ConfigInput {
  const models = { ...input.models, ...Object.fromEntries(chosen.flatMap(modelsOf)), ...input.models } // the file's own: first in order, last word
  return {
    ...input,
    providers: { ...input.providers, ...Object.fromEntries(chosen.map(providerOf)) },
    models,
    aliases: { ...bareNames(chosen, models), ...input.aliases },
  }
}

const providerOf = ({ id, url, dialects, variable, ownership }: Chosen): [string, ConfigInput['providers'][string]] => [
  id,
  {
    dialects: [...dialects],
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
