import type { Command } from 'commander'
import type { Backend, CatalogueParts, Offer } from '../domain/index.ts'
import { type CliContext, placeOf, show } from './context.ts'
import { counted } from './counted.ts'
import { priceText } from './price-text.ts'
import { readConfig } from './read-config.ts'
import { table } from './table.ts'

/** `check --config F`: whether the configuration can be used, and what it means; exit 1 with path, line and reason when not. */
export function addCheck(program: Command, context: CliContext): void {
  program
    .command('check')
    .description('whether a configuration can be used, and what it means')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { configPath } = placeOf(command)
      if (configPath === null) command.error('error: name the configuration with --config FILE')
      const { catalogue, server } = await readConfig(configPath, context.terminal)
      const listen = `${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`
      show(context, json, meaningOf(catalogue, listen), () => meaningText(catalogue, configPath, listen))
    })
}

/** No secret, no certificate: only what is named. */
const meaningOf = ({ backends, models, aliases }: CatalogueParts, listen: string): object => ({
  valid: true,
  listen,
  backends: [...backends.values()].map((backend) => ({
    id: backend.id,
    provider: backend.provider.id,
    url: backend.baseUrl,
    region: backend.region,
    slots: backend.slots,
    enabled: backend.enabled,
    credentials: backend.provider.credentials.map(({ id }) => id),
  })),
  models: [...models.values()].map(({ id, offers }) => ({
    id,
    offers: offers.map((offer) => ({ backend: offer.backend.id, provider_model: offer.providerModel })),
  })),
  aliases: Object.fromEntries(aliases),
})

function meaningText({ backends, models, aliases }: CatalogueParts, path: string, listen: string): string {
  const offers = [...models.values()].flatMap((model) => model.offers)
  const unpriced = offers.filter(({ price }) => price === null)
  const sections = [
    `${path} can be used: listens on ${listen}, ${counted(backends.size, 'backend')}, ${counted(models.size, 'model')}.\n`,
    table(BACKENDS, [...backends.values()].map(backendRow), 'no backends: nothing can be served'),
    table(OFFERS, offers.map(offerRow), 'no models: nothing can be served'),
  ]
  if (aliases.size > 0) sections.push(table(ALIASES, [...aliases], ''))
  if (unpriced.length > 0) {
    const ids = unpriced.map(({ id }) => id).join(', ')
    sections.push(`Without a price, so for unmetered accounts only: ${ids}\n`)
  }
  return sections.join('\n')
}

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
