import { type CatalogueParts, formatUsd, type ModelId, money, type Price } from '../domain/index.ts'
import { counted } from './counted.ts'
import { SAMPLE } from './demo-tour.ts'

/** What is told about a server that listens. */
export interface BannerFacts {
  readonly version: string
  readonly host: string
  /** As a client on this machine reaches it, e.g. `http://127.0.0.1:8080`. */
  readonly origin: string
  readonly dataFolder: string
  readonly parts: CatalogueParts
}

export interface DemoBannerFacts extends BannerFacts {
  readonly secret: string
  readonly notes: ReadonlyMap<ModelId, string>
}

/** The lines of a server that has started. */
export function banner(facts: BannerFacts): string {
  const { models, backends } = facts.parts
  const served =
    models.size === 0
      ? 'none yet: name a configuration with --config FILE, or try --demo'
      : `${counted(models.size, 'model')} on ${counted(backends.size, 'backend')}`
  return lines([
    `anyrouter ${facts.version}`,
    ...addresses(facts),
    row('Data', facts.dataFolder),
    row('Models', served),
    ...warnings(facts),
    '',
    '  Ctrl-C drains and stops.',
  ])
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
export function demoEnd(dataFolder: string): string {
  return lines([
    '',
    `  anyrouter --data ${dataFolder} route --model demo/flaky      why which backend`,
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
  `  ${label.padEnd(LABEL_CHARS)}${value.padEnd(VALUE_CHARS)}${remark}`.trimEnd()

const addresses = ({ origin }: BannerFacts): string[] => [
  row('API', `${origin}/v1`, 'OpenAI SDK base URL'),
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
