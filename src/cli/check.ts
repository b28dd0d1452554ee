import type { Command } from 'commander'
import { routersOf } from '../catalogue/index.ts'
import type { Config, PresetState } from '../config/index.ts'
import { type Backend, isHome, type ListenAddress, type Offer } from '../domain/index.ts'
import { hostText } from '../lib/index.ts'
import { isLoopbackHost } from './banner.ts'
import { type CliContext, KEY_WAY, placeOf, show, WAYS_ON } from './context.ts'
import { counted } from './counted.ts'
import { priceText } from './price-text.ts'
import { readConfig } from './read-config.ts'
import { table } from './table.ts'

/** `check`: whether the configuration can be used, and what it means; exit 1 with path, line and reason when not. */
export function addCheck(program: Command, context: CliContext): void {
  program
    .command('check')
    .description('whether a configuration can be used, and what it means')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { configPath } = placeOf(command)
      const config = await readConfig(configPath, context.terminal)
      show(context, json, meaningOf(config), () => meaningText(config, configPath))
    })
}

const addressText = ({ host, port }: ListenAddress): string => hostText(host, port)

const metricsText = ({ metrics: { listen } }: Config): string => (listen === null ? 'off' : addressText(listen))

/** No secret, no certificate: only what is named. */
const meaningOf = (config: Config): object => ({
  valid: true,
  listen: addressText(config.server),
  trust_proxy: config.server.trustProxy.map(({ text }) => text),
  cors: config.server.cors,
  metrics_listen: metricsText(config),
  home_regions: config.routing.homeRegions,
  presets: config.presets,
  ...servedOf(config),
})

const servedOf = ({ catalogue: { backends, models, aliases, routers = new Map() } }: Config): object => ({
  backends: [...backends.values()].map((backend) => ({
    id: backend.id,
    provider: backend.provider.id,
    url: backend.baseUrl,
    region: backend.region,
    ownership: backend.provider.ownership,
    data: dataOf(backend),
    slots: backend.slots,
    enabled: backend.enabled,
    credentials: backend.provider.credentials.map(({ id }) => id),
  })),
  models: [...models.values()].map(({ id, contextTokensMax, outputTokensMax, capabilities, offers }) => ({
    id,
    context: contextTokensMax,
    output_max: outputTokensMax,
    capabilities,
    offers: offers.map((offer) => ({
      backend: offer.backend.id,
      provider_model: offer.providerModel,
      capabilities: offer.capabilities ?? null,
      parameters: offer.parameters ?? null,
      quantization: offer.quantization ?? null,
      weight: offer.weight ?? 1,
      price: offer.price === null ? null : priceText(offer.price),
      cost: offer.cost === null ? null : priceText(offer.cost),
    })),
  })),
  aliases: Object.fromEntries(aliases),
  routers: Object.fromEntries(
    [...routers].map(([id, { candidates, by, freeOnly, needs }]) => [
      id,
      { candidates, by, free_only: freeOnly, needs },
    ]),
  ),
})

function dataOf({ provider: { data } }: Backend): object | null {
  return data === null ? null : { retention_days: data.retentionDays, training: data.training }
}

function meaningText(config: Config, path: string | null): string {
  const { backends, models, aliases } = config.catalogue
  const byPreset = new Set(config.presets.flatMap(({ id, state }) => (state === 'on' ? [id] : [])))
  const isOwn = ({ backend, model }: Offer) => !byPreset.has(backend.id) || !model.startsWith(`${backend.id}/`)
  const own = [...models.values()].flatMap(({ offers }) => offers).filter(isOwn)
  const ownAliases = [...aliases].filter(([alias, model]) => !byPreset.has(model.slice(0, -alias.length - 1)))
  const counts = `${counted(backends.size, 'backend')}, ${counted(models.size, 'model')}`
  const what = path === null ? 'No file, so the defaults and the environment' : `${path} can be used`
  const head = `${what}: listens on ${addressText(config.server)}, ${counts}.\n`
  const ways = path === null ? WAYS_ON : `${KEY_WAY}, or describe a provider in ${path}`
  if (backends.size + models.size === 0) return [head, `Nothing can be served yet: ${ways}.\n`].join('\n')
  return [
    head,
    ...(config.presets.length === 0 ? [] : [table(PRESET_COLUMNS, config.presets.map(presetRow), '')]),
    table(BACKENDS, [...backends.values()].map(backendRow), 'no backends: nothing can be served'),
    ...(own.length > 0 || models.size === 0
      ? [table(OFFERS, own.map(offerRow), 'no models: nothing can be served')]
      : []),
    ...(ownAliases.length === 0 ? [] : [table(ALIASES, ownAliases, '')]),
    ...(config.catalogue.routers?.size ? [table(ROUTERS, routerRows(config.catalogue), '')] : []),
    ...notes(config, own),
  ].join('\n')
}

function notes(config: Config, own: readonly Offer[]): string[] {
  const { host, trustProxy, cors } = config.server
  const { listen } = config.metrics
  const unpriced = own.filter(({ price }) => price === null).map(({ id }) => id)
  const lines = homeNotes(config)
  if (unpriced.length > 0) lines.push(`Without a price, so for unmetered accounts only: ${unpriced.join(', ')}`)
  if (trustProxy.length > 0)
    lines.push(`X-Forwarded-For is believed from ${trustProxy.map(({ text }) => text).join(', ')}`)
  if (cors !== 'off') lines.push(`Pages may call from ${cors === '*' ? 'every origin' : cors.join(', ')}`)
  if (!isLoopbackHost(host))
    lines.push(`${host} is open to other machines, and this is no TLS: put Caddy or nginx in front`)
  if (listen !== null && !isLoopbackHost(listen.host))
    lines.push(`${addressText(listen)} shows the metrics to all who reach it, without a key`)
  if (listen !== null && listen.port !== 0 && addressText(listen) === addressText(config.server))
    lines.push(
      `${addressText(listen)} is the address of the server and of metrics.listen: give one of them another port`,
    )
  return lines.length === 0 ? [] : [lines.map((line) => `${line}\n`).join('')]
}

function homeNotes({ routing: { homeRegions }, catalogue: { backends } }: Config): string[] {
  if (homeRegions.length === 0) return []
  const abroad = [...backends.values()].filter(({ region }) => !isHome(region, homeRegions)).map(({ id }) => id)
  const where = homeRegions.join(', ')
  if (abroad.length === backends.size) return [`No backend runs in ${where}: only who may leave home is served`]
  return abroad.length === 0
    ? []
    : [`Outside ${where}, so for accounts and keys that may leave home only: ${abroad.join(', ')}`]
}

const PRESET_COLUMNS = [{ name: 'preset' }, { name: 'key' }, { name: 'models', right: true }, { name: 'state' }]

const presetRow = ({ id, variable, models, state, reason }: PresetState): string[] => [
  id,
  variable,
  String(models),
  {
    on: 'on',
    configured: 'described in the file',
    unusable: reason ?? '',
  }[state],
]

const BACKENDS = [
  { name: 'backend' },
  { name: 'provider' },
  { name: 'url' },
  { name: 'region' },
  { name: 'slots', right: true },
  { name: 'credentials' },
  { name: 'state' },
]
const OFFERS = ['model', 'backend', 'as', 'price per M (in / out)', 'state'].map((name) => ({ name }))
const ALIASES = [{ name: 'alias' }, { name: 'model' }]

const ROUTERS = ['router', 'by', 'models'].map((name) => ({ name }))

/** Those that the file describes, with the models that they may take. */
const routerRows = (catalogue: Config['catalogue']): string[][] =>
  [...routersOf(catalogue).values()]
    .filter(({ id }) => catalogue.routers?.has(id))
    .map(({ id, by, freeOnly, models }) => [
      id,
      by,
      `${models.length === 0 ? 'none' : models.map((model) => model.id).join(', ')}${freeOnly ? ' (free offers)' : ''}`,
    ])

const backendRow = ({ id, provider, baseUrl, region, slots, enabled }: Backend): string[] => [
  id,
  provider.id,
  baseUrl,
  region ?? '-',
  String(slots),
  provider.credentials.map((credential) => credential.id).join(',') || 'none',
  enabled ? 'enabled' : 'disabled',
]

const offerRow = ({ model, backend, providerModel, price, enabled }: Offer): string[] => [
  model,
  backend.id,
  providerModel,
  priceText(price),
  enabled && backend.enabled ? 'enabled' : 'disabled',
]
