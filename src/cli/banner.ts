import type { PresetState } from '../config/index.ts'
import {
  type CatalogueParts,
  formatUsd,
  isSpokenTo,
  type Model,
  type ModelId,
  money,
  type Price,
} from '../domain/index.ts'
import { counted } from './counted.ts'
import { SAMPLE } from './demo-tour.ts'
import { type FirstKeys, keyForShell } from './first-start.ts'

/** What is told about a server that listens. */
export interface BannerFacts {
  readonly version: string
  readonly host: string
  /** As a client on this machine reaches it, e.g. `http://127.0.0.1:8080`. */
  readonly origin: string
  readonly dataFolder: string
  /** How the program is called here. */
  readonly program: string
  readonly parts: CatalogueParts
}

export interface ServerBannerFacts extends BannerFacts {
  /** Null: none. */
  readonly configPath: string | null
  readonly presets: readonly PresetState[]
  /** What was made just now; null when the data folder had been used before. */
  readonly first: FirstKeys | null
}

export interface DemoBannerFacts extends BannerFacts {
  readonly secret: string
  readonly notes: ReadonlyMap<ModelId, string>
}

/** The lines of a server that has started. */
export function banner(facts: ServerBannerFacts): string {
  const { version, dataFolder, first } = facts
  return lines([
    `anyrouter ${version}${first === null ? '' : '   first start'}`,
    ...addresses(facts),
    row('Data', dataFolder),
    row('Config', facts.configPath ?? 'none: the defaults and the environment'),
    ...served(facts),
    ...facts.presets.map((preset, at) => row(at === 0 ? 'Found' : '', preset.variable, foundWords(preset))),
    ...warnings(facts),
    ...(first === null ? [] : firstLines(first, facts)),
    '',
    '  Ctrl-C drains and stops.',
  ])
}

function served({ program, parts: { models, backends } }: ServerBannerFacts): string[] {
  if (models.size > 0)
    return [row('Models', `${counted(models.size, 'model')} on ${counted(backends.size, 'backend')}`)]
  const ways: [command: string, remark: string][] = [
    [`OPENAI_API_KEY=... ${program}`, 'a key in the environment (or GROQ_API_KEY, GEMINI_API_KEY, ...)'],
    [`${program} init`, 'writes a configuration to begin with'],
    [`${program} --demo`, 'simulated providers, no account anywhere'],
  ]
  return [
    row('Models', 'none yet, /readyz is 503. Three ways on:'),
    ...ways.map(([command, remark]) => row('', command.padEnd(`OPENAI_API_KEY=... ${program}`.length), remark)),
  ]
}

function foundWords({ state, name, models, reason }: PresetState): string {
  switch (state) {
    case 'on':
      return `${name}: ${counted(models, 'model')}`
    case 'configured':
      return `${name}: as the configuration describes it`
    case 'unusable':
      return `${name}: not used, ${reason}`
  }
}

function firstLines(first: FirstKeys, facts: ServerBannerFacts): string[] {
  const { file, apiKey, managementKey, account } = first
  const keys =
    file === null
      ? [
          row('Keys', 'shown this once and stored nowhere: keep them'),
          row('  API', apiKey, `  account ${account}, unmetered`),
          row('  admin', managementKey, '  Authorization: Bearer ... for /admin/v1'),
        ]
      : [row('Keys', file, ' an API key and a management key: move them away, remove the file')]
  const open = isLoopbackHost(facts.host)
    ? [row('Open', 'only this machine reaches it: --host 0.0.0.0 opens it, best behind Caddy or nginx with TLS')]
    : []
  const sample = facts.parts.models.get(sampleModel(facts) ?? '') ?? null
  return [...keys, ...open, '', '  Try it', ...curlLines(facts.origin, keyForShell(first), sample)]
}

/** A model that a request can be sent to at once: the file's first, else a small one of a preset. */
function sampleModel({ parts, presets }: ServerBannerFacts): ModelId | null {
  const small = presets.flatMap(({ sample }) => (sample !== null && parts.models.has(sample) ? [sample] : []))
  const isPreset = (id: ModelId) => presets.some((preset) => preset.state === 'on' && id.startsWith(`${preset.id}/`))
  const own = [...parts.models.values()].find(
    ({ id, offers }) => !isPreset(id) && offers.some((offer) => offer.enabled && offer.backend.enabled),
  )
  return own?.id ?? small[0] ?? null
}

function curlLines(origin: string, key: string, model: Model | null): string[] {
  const authorization = `-H "Authorization: Bearer ${key}"`
  if (model === null) return [`    curl ${origin}/v1/models ${authorization}`]
  const chats = isSpokenTo(model, 'openai')
  const body = JSON.stringify({ ...SAMPLE, model: model.id, ...(chats ? {} : { max_tokens: 256 }) })
  return [
    `    curl ${origin}/v1/${chats ? 'chat/completions' : 'messages'} ${authorization} \\`,
    `      -H 'content-type: application/json' -d '${body}'`,
  ]
}

/** The lines above the demo's tour. */
export function demoBanner(facts: DemoBannerFacts): string {
  const { version, dataFolder, secret, origin } = facts
  return lines([
    `anyrouter ${version}   demo: two simulated providers, data in ${dataFolder} (removed at exit)`,
    ...addresses(facts),
    row('Key', secret, 'account demo, $5.00    (loopback only)'),
    ...modelRows(facts),
    ...warnings(facts),
    '',
    '  Try it',
    `    curl -i ${origin}/v1/chat/completions -H 'Authorization: Bearer ${secret}' \\`,
    `      -H 'content-type: application/json' -d '${JSON.stringify(SAMPLE)}'`,
    '',
  ])
}

/** The lines below the demo's tour. */
export function demoEnd({ program, dataFolder }: Pick<DemoBannerFacts, 'program' | 'dataFolder'>): string {
  return lines([
    '',
    `  ${program} --data ${dataFolder} route --model demo/flaky      why which backend`,
    '  Ctrl-C drains and stops.',
  ])
}

/** Whether an address of ours is reached from this machine alone. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)

/** The origin with an address that can be called: one that stands for all addresses is none. */
export const reachable = (origin: string): string =>
  origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

const LABEL_CHARS = 10
const VALUE_CHARS = 36

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

const row = (label: string, value: string, remark = ''): string =>
  `  ${label.padEnd(LABEL_CHARS)}${value.padEnd(VALUE_CHARS - 1)} ${remark}`.trimEnd()

const addresses = ({ origin }: BannerFacts): string[] => [
  row('API', `${origin}/v1`, "OpenAI SDK base URL; OpenRouter's clients take /api/v1"),
  row('Pages', `${origin}/`, 'what it serves, what to try'),
  row('Swagger', `${origin}/swagger`),
]

function warnings({ host }: BannerFacts): string[] {
  if (isLoopbackHost(host)) return []
  return [row('Warning', `${host} is open to other machines, and this is no TLS: put Caddy or nginx in front.`)]
}

const PRICE_CHARS = 29

function modelRows({ parts, notes }: DemoBannerFacts): string[] {
  const widest = Math.max(...[...parts.models.keys()].map((id) => id.length))
  return [...parts.models.values()].map(({ id, offers }, at) => {
    const price = priceWords(offers[0]?.price ?? null, at === 0)
    const text = `${id.padEnd(widest)}  ${price.padEnd(PRICE_CHARS)}${notes.get(id) ?? ''}`
    return row(at === 0 ? 'Models' : '', text)
  })
}

function priceWords(price: Price | null, withUnits: boolean): string {
  if (price === null) return 'no price'
  const [input, output] = [price.input, price.output].map((nano) => `$${formatUsd(money(nano))}`)
  return withUnits ? `${input} in / ${output} out per M` : `${input} / ${output}`
}
