import {
  type MaxPrice,
  type Percentiles,
  type Preferences,
  QUANTIZATIONS,
  SORTS,
  type Sort,
  slugOf,
} from '../domain/index.ts'
import { isRecord, JsonKeys, type JsonReader } from '../lib/index.ts'
import type { RequestProblem } from './request-problem.ts'

type Wishes = { -readonly [Name in keyof Preferences]?: Preferences[Name] }

export interface ProviderWishes {
  readonly wishes: Partial<Preferences>
  /** `require_parameters`: which they are is seen of the whole body. */
  readonly requireParameters: boolean
}

/**
 * Reads the object in `provider` (OpenRouter's ProviderPreferences). A field that is null, and an empty list, ask for nothing. What is not understood is
 * a fault, for a wish that is not known cannot be met; but an unknown field that is null or false asks for nothing.
 */
export function readProviderWishes(reader: JsonReader, problem: RequestProblem): ProviderWishes {
  const wishes: Wishes = {}
  const seen = new Set<string>()
  let requireParameters = false
  reader.enter()
  while (reader.nextKey()) {
    const name = reader.key(FIELDS)
    const unknown = name === undefined ? reader.keyText() : null
    const kind = reader.peek()
    reader.skip()
    if (name === undefined) {
      if (kind !== 'null' && kind !== 'false') unknownWish(problem, unknown ?? '')
      continue
    }
    if (seen.has(name)) problem.duplicate(`provider.${name}`)
    seen.add(name)
    if (kind === 'null') continue
    const value = reader.value()
    if (name === 'require_parameters') requireParameters = flag(value, name, problem)
    else READERS[name](wishes, value, problem)
  }
  return { wishes, requireParameters }
}

const NAMES = [
  'order',
  'only',
  'ignore',
  'allow_fallbacks',
  'require_parameters',
  'data_collection',
  'zdr',
  'quantizations',
  'sort',
  'max_price',
  'preferred_max_latency',
  'preferred_min_throughput',
] as const
const FIELDS = new JsonKeys(NAMES)
type Read = (wishes: Wishes, value: unknown, problem: RequestProblem) => void

const READERS: Readonly<Record<Exclude<(typeof NAMES)[number], 'require_parameters'>, Read>> = {
  order(wishes, value, problem) {
    wishes.order = slugs(value, 'order', problem)
  },
  only(wishes, value, problem) {
    const only = slugs(value, 'only', problem)
    if (only.length > 0) wishes.only = only
  },
  ignore(wishes, value, problem) {
    wishes.ignore = slugs(value, 'ignore', problem)
  },
  allow_fallbacks(wishes, value, problem) {
    wishes.allowFallbacks = flag(value, 'allow_fallbacks', problem)
  },
  data_collection(wishes, value, problem) {
    wishes.denyDataCollection = word(value, 'data_collection', ['allow', 'deny'], problem) === 'deny'
  },
  zdr(wishes, value, problem) {
    wishes.zeroRetention = flag(value, 'zdr', problem)
  },
  quantizations(wishes, value, problem) {
    const list = texts(value, 'quantizations', problem).map((name) => name.toLowerCase())
    const known: readonly string[] = QUANTIZATIONS
    const odd = list.some((name) => !known.includes(name))
    if (odd) fault(problem, 'quantizations', `must be a list of some of ${QUANTIZATIONS.join(', ')}`)
    if (list.length > 0) wishes.quantizations = list
  },
  sort(wishes, value, problem) {
    wishes.sort = sortOf(value, problem)
  },
  max_price(wishes, value, problem) {
    wishes.maxPrice = maxPriceOf(value, problem)
  },
  preferred_max_latency(wishes, value, problem) {
    const seconds = percentilesOf(value, 'preferred_max_latency', problem)
    wishes.maxLatencyMs = {
      p50: times1000(seconds.p50),
      p75: times1000(seconds.p75),
      p90: times1000(seconds.p90),
      p99: times1000(seconds.p99),
    }
  },
  preferred_min_throughput(wishes, value, problem) {
    wishes.minThroughput = percentilesOf(value, 'preferred_min_throughput', problem)
  },
}

const LIST_MAX = 100
const NAME_CHARS_MAX = 200
const NANO = 1_000_000_000
const DOLLARS_MAX = 1_000_000

function sortOf(value: unknown, problem: RequestProblem): Sort | null {
  if (!isRecord(value)) {
    const by = word(value, 'sort', SORTS, problem)
    return by === null ? null : { by, acrossModels: false }
  }
  unknownFields(value, 'sort', ['by', 'partition'], problem)
  const { by, partition } = value
  const across = partition == null ? null : word(partition, 'sort.partition', ['model', 'none'], problem)
  const known = by == null ? null : word(by, 'sort.by', SORTS, problem)
  return known === null ? null : { by: known, acrossModels: across === 'none' }
}

const PRICES = ['prompt', 'completion', 'request', 'image', 'audio'] as const

function maxPriceOf(value: unknown, problem: RequestProblem): MaxPrice | null {
  if (!isRecord(value)) {
    fault(problem, 'max_price', `must be an object with some of ${PRICES.join(', ')}`)
    return null
  }
  unknownFields(value, 'max_price', PRICES, problem)
  const bound = (name: (typeof PRICES)[number]): number | null => {
    const given = value[name]
    return given == null ? null : nanoDollars(given, `max_price.${name}`, problem)
  }
  return {
    prompt: bound('prompt'),
    completion: bound('completion'),
    request: bound('request'),
    image: bound('image'),
    audio: bound('audio'),
  }
}

/** A number, or one written as text: SDKs send either. */
function nanoDollars(value: unknown, name: string, problem: RequestProblem): number | null {
  const dollars = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof dollars === 'number' && dollars >= 0) return Math.round(Math.min(dollars, DOLLARS_MAX) * NANO)
  fault(problem, name, 'must be a price in US dollars, such as 0.5')
  return null
}

const PERCENTILES = ['p50', 'p75', 'p90', 'p99'] as const
const NO_BOUNDS: Percentiles = { p50: null, p75: null, p90: null, p99: null }

/** A number alone is meant for the median. */
function percentilesOf(value: unknown, name: string, problem: RequestProblem): Percentiles {
  if (!isRecord(value)) return { ...NO_BOUNDS, p50: positive(value, name, problem) }
  unknownFields(value, name, PERCENTILES, problem)
  const bound = (at: (typeof PERCENTILES)[number]): number | null =>
    value[at] == null ? null : positive(value[at], `${name}.${at}`, problem)
  return { p50: bound('p50'), p75: bound('p75'), p90: bound('p90'), p99: bound('p99') }
}

function positive(value: unknown, name: string, problem: RequestProblem): number | null {
  if (typeof value === 'number' && value > 0) return value
  fault(problem, name, 'must be a number above 0')
  return null
}

const times1000 = (value: number | null): number | null => (value === null ? null : value * 1000)

const slugs = (value: unknown, name: string, problem: RequestProblem): readonly string[] =>
  texts(value, name, problem).map(slugOf)

function texts(value: unknown, name: string, problem: RequestProblem): readonly string[] {
  if (Array.isArray(value) && value.length <= LIST_MAX && value.every(isName)) return value
  fault(problem, name, `must be a list of at most ${LIST_MAX} names`)
  return []
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= NAME_CHARS_MAX

function flag(value: unknown, name: string, problem: RequestProblem): boolean {
  if (typeof value !== 'boolean') fault(problem, name, 'must be true or false')
  return value === true
}

function word<Word extends string>(
  value: unknown,
  name: string,
  words: readonly Word[],
  problem: RequestProblem,
): Word | null {
  const found = words.find((one) => one === value)
  if (found === undefined) fault(problem, name, `must be one of ${words.join(', ')}`)
  return found ?? null
}

function unknownFields(
  value: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly string[],
  problem: RequestProblem,
): void {
  const odd = Object.keys(value).find((field) => !known.includes(field))
  if (odd !== undefined) fault(problem, `${name}.${odd.slice(0, 40)}`, `is not known; known are ${known.join(', ')}`)
}

function unknownWish(problem: RequestProblem, name: string): void {
  fault(problem, name.slice(0, 40), `is no wish that this gateway knows: ${NAMES.join(', ')}`)
}

const fault = (problem: RequestProblem, name: string, what: string): void =>
  problem.invalid(`provider.${name}`, `Invalid 'provider.${name}': it ${what}.`)
