import {
  type Price,
  type PriceTier,
  type PriceTime,
  parsePricePerMillion,
  type Rates,
  rateOf,
} from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import tableText from './price-table.txt' with { type: 'text' }

/** A model as the price data has it. */
export interface PricedModel {
  readonly id: string
  readonly price: Price
  readonly contextTokensMax: number | null
}

/** A model that a provider's API can be asked for. */
export interface ServedModel extends PricedModel {
  readonly name: string
  /** What the provider calls it. */
  readonly providerModel: string
}

export type PriceFinding =
  | { readonly kind: 'found'; readonly model: PricedModel }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'unknown' }

/**
 * The price data in the executable: prices that hold on the day of `wallMs`, and with them those of later days and of hours of the day. Of a
 * price with hours, what stands beside them is the dearest.
 */
export interface PriceTable {
  /** Whose prices those of a backend are: by its base URL, else by its provider's name; null when neither is known. */
  providerOf(backend: { readonly baseUrl: string; readonly providerId: string }): string | null
  /** The model of this id at the provider, by the rules of the price data (dated ids are their model's). */
  find(provider: string, providerModel: string, wallMs: number): PriceFinding
  /** The chat models that a provider's API has, by the names and dates it calls them. */
  served(provider: string, wallMs: number): ServedModel[]
}

/** Opens the price data; lines are read when they are needed. */
export function openPriceTable(text: string = tableText): PriceTable {
  const providers = sectionsOf(text)
  return {
    providerOf({ baseUrl, providerId }) {
      for (const { id, url } of providers.values()) if (url.test(baseUrl)) return id
      const name = OTHER_NAMES[providerId] ?? providerId
      return providers.has(name) ? name : null
    },
    find(provider, providerModel, wallMs) {
      const own = providers.get(provider)
      for (const name of own === undefined ? [] : [own.id, ...own.fallbacks]) {
        const line = providers.get(name)?.lines.find(([, matchers = '']) => isMatch(matchers, providerModel))
        if (line !== undefined) return readLine(line, wallMs)
      }
      return { kind: 'unknown' }
    },
    served(provider, wallMs) {
      return (providers.get(provider)?.lines ?? []).flatMap((line) => servedOf(line, wallMs))
    },
  }
}

/** A provider's lines: id, matchers, context, prices, what is served. */
interface Section {
  readonly id: string
  readonly url: RegExp
  readonly fallbacks: readonly string[]
  readonly lines: Line[]
}

type Line = readonly string[]

const OTHER_NAMES: Readonly<Record<string, string>> = { gemini: 'google', xai: 'x-ai', 'together-ai': 'together' }

function sectionsOf(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>()
  let section: Section | null = null
  for (const row of text.split('\n')) {
    if (row === '' || row.startsWith('# ')) continue
    const line = row.split('\t')
    if (line[0] === 'provider') {
      const [, id = '', url = '', fallbacks = ''] = line
      section = { id, url: new RegExp(`^(?:${url})`), fallbacks: words(fallbacks), lines: [] }
      sections.set(id, section)
    } else section?.lines.push(line)
  }
  return sections
}

function isMatch(matchers: string, id: string): boolean {
  const lower = id.toLowerCase()
  return matchers
    .replaceAll(' & ', '\0') // what must hold together
    .split(' ')
    .some((all) => all.split('\0').every((one) => isOne(one.charAt(0), one.slice(1), lower, id)))
}

function isOne(mark: string, text: string, lower: string, id: string): boolean {
  switch (mark) {
    case '=':
      return lower === text.toLowerCase()
    case '^':
      return lower.startsWith(text.toLowerCase())
    case '$':
      return lower.endsWith(text.toLowerCase())
    case '~':
      return lower.includes(text.toLowerCase())
    default:
      return new RegExp(text).test(id)
  }
}

function readLine(line: Line, wallMs: number): PriceFinding {
  const [id = '', , context = '', prices = ''] = line
  if (prices.startsWith('!')) return { kind: 'unusable', reason: prices.slice(1) }
  const model = { id, price: priceOn(prices, wallMs), contextTokensMax: context === '' ? null : Number(context) }
  return { kind: 'found', model }
}

function servedOf(line: Line, wallMs: number): ServedModel[] {
  const names = words(line[4] ?? '')
  if (names.length === 0) return []
  const finding = readLine(line, wallMs)
  if (finding.kind !== 'found') return []
  return names.map((text) => {
    const [name = '', providerModel = name] = text.split('=')
    return { ...finding.model, name, providerModel }
  })
}

/** The set that holds on a day, made dearer by those of some hours; with what holds at other times, when there are any. */
function priceOn(text: string, wallMs: number): Price {
  let price: Price | null = null
  let times: PriceTime[] = []
  for (const set of text.split(';')) {
    const time = readSet(set)
    if (time.hours !== null) price = price === null ? time.price : dearer(price, time.price)
    else if (time.fromMs <= wallMs) {
      price = time.price
      times = [] // what stood before holds no more
    }
    times.push(time)
  }
  assert(price !== null, () => `no price holds at ${wallMs}: ${text}`)
  return times.length === 1 ? price : { ...price, times }
}

/** `@2026-07-30`: from that day on; `@00:30-16:30`: at those hours of each day; both in UTC. */
function readSet(text: string): PriceTime {
  const [first = '', ...rest] = words(text)
  if (!first.startsWith('@')) return { fromMs: 0, hours: null, price: readPrice([first, ...rest]) }
  const price = readPrice(rest)
  const hours = HOURS.exec(first)
  if (hours === null) return { fromMs: Date.parse(`${first.slice(1)}T00:00:00Z`), hours: null, price }
  const [from = 0, until = 0] = [hours.slice(1, 3), hours.slice(3)].map(msOfDay)
  assert(from < until, () => `hours of the price data that go over midnight: ${text}`)
  return { fromMs: 0, hours: [from, until], price }
}

const HOURS = /^@(\d{2}):(\d{2})-(\d{2}):(\d{2})$/

const msOfDay = ([hours = '', minutes = '']: readonly string[]): number =>
  (Number(hours) * 60 + Number(minutes)) * 60_000

type Kind = keyof Rates
const KINDS: Readonly<Record<string, Kind>> = {
  input: 'input',
  output: 'output',
  cached_input: 'cachedInput',
  cache_write: 'cacheWrite',
  reasoning: 'reasoning',
  cache_write_long: 'cacheWriteLong',
  input_audio: 'inputAudio',
  cached_input_audio: 'cachedInputAudio',
  input_image: 'inputImage',
  cached_input_image: 'cachedInputImage',
  output_audio: 'outputAudio',
  output_image: 'outputImage',
}

/** What is billed by itself, whatever the length of the prompt. */
const EACH: Readonly<Record<string, 'perRequest' | 'perSearch' | 'perAudioHour'>> = {
  per_request: 'perRequest',
  per_search: 'perSearch',
  per_audio_hour: 'perAudioHour',
}

/** One kind's price, and what it is above some lengths of the prompt. */
interface Ladder {
  readonly kind: Kind
  readonly base: number
  readonly steps: readonly { readonly above: number; readonly nano: number }[]
}

function readPrice(kinds: readonly string[]): Price {
  const each = kinds.flatMap((text): [string, number][] => {
    const [name = '', price = ''] = text.split('=')
    return EACH[name] === undefined ? [] : [[EACH[name], nanoOf(price)]]
  })
  const ladders = kinds.filter((text) => EACH[text.split('=')[0] ?? ''] === undefined).map(readLadder)
  const lengths = [...new Set(ladders.flatMap(({ steps }) => steps.map(({ above }) => above)))]
  const tiers = lengths
    .sort((one, other) => one - other)
    .map((above): PriceTier => ({ promptTokensFrom: above + 1, ...ratesAbove(ladders, above) }))
  const base = { ...ratesAbove(ladders, -1), ...Object.fromEntries(each) }
  return tiers.length === 0 ? base : { ...base, tiers }
}

function readLadder(text: string): Ladder {
  const [name = '', prices = ''] = text.split('=')
  const kind = KINDS[name]
  const [base = '', ...steps] = prices.split('>')
  assert(kind !== undefined, () => `the price data has a kind '${name}'`)
  return {
    kind,
    base: nanoOf(base),
    steps: steps.map((step) => {
      const [above, price = ''] = step.split(':')
      return { above: Number(above), nano: nanoOf(price) }
    }),
  }
}

function nanoOf(text: string): number {
  const nano = parsePricePerMillion(text)
  assert(nano !== null, () => `the price data has a price '${text}'`)
  return nano
}

function ratesAbove(ladders: readonly Ladder[], length: number): Rates {
  const rates: Record<Kind, number | undefined> = Object.create(null)
  for (const { kind, base, steps } of ladders)
    rates[kind] = steps.findLast(({ above }) => above <= length)?.nano ?? base
  const { input, output, ...rest } = rates
  assert(input !== undefined && output !== undefined, 'a price of the price data has input and output')
  return { input, output, ...given(rest) }
}

const given = (rates: Partial<Record<Kind, number | undefined>>): Partial<Rates> =>
  Object.fromEntries(Object.entries(rates).filter(([, nano]) => nano !== undefined))

function dearer(one: Price, other: Price): Price {
  assert(one.tiers === undefined && other.tiers === undefined, 'no price has both tiers and hours')
  const kinds = Object.values(KINDS).filter((kind) => one[kind] !== undefined || other[kind] !== undefined)
  const most = kinds.map((kind) => [kind, Math.max(rateOf(one, kind), rateOf(other, kind))])
  return { input: 0, output: 0, ...Object.fromEntries(most) }
}

const words = (text: string): string[] => (text === '' ? [] : text.split(' '))
