import { join } from 'node:path'
import {
  type ConditionalPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  type TieredPrices,
} from '@pydantic/genai-prices'
import packageJson from '../package.json' with { type: 'json' }

/** Whose prices are taken; for those with a rule, which of their models a preset serves: chat models, by the ids of their API. */
const PROVIDERS: Readonly<Record<string, ServeRule | null>> = {
  anthropic: {
    only: /^claude-/,
    not: /^claude-([23]|v1|instant)|^claude-(opus|sonnet)-4$/,
    also: [
      'claude-haiku-4-5-20251001',
      'claude-sonnet-4-5-20250929',
      'claude-opus-4-5-20251101',
      'claude-opus-4-1-20250805',
    ],
  },
  azure: null,
  baseten: null,
  cerebras: null,
  cohere: null,
  deepseek: { only: /^deepseek-/, not: /:free/ },
  fireworks: { only: /./, not: /embedding|rerank/ },
  google: { only: /^gemini-[2-9]/, not: /tts|image|live|audio|embedding|robotics|computer-use|-exp/ },
  groq: { only: /./, not: /whisper|guard|tts/ },
  minimax: null,
  mistral: { only: /./, not: /ocr|embed|moderation|voxtral|:free/ },
  moonshotai: null,
  novita: null,
  // Those with -pro, codex and deep-research answer on /v1/responses alone; the search previews bill each search apart.
  openai: {
    only: /^(gpt-(3\.5-turbo|[4-9]|chat)|o[1-9]|chatgpt)/,
    not: /instruct|realtime|audio|image|transcribe|tts|-pro|codex|deep-research|vision-preview|search|extended|\.ft-/,
  },
  openrouter: { only: /\//, not: /:beta$/ },
  ovhcloud: null,
  perplexity: null,
  together: { only: /\//, not: /moderation|-base/i },
  'x-ai': { only: /^grok-/, not: /voice|image|imagine|video/ },
  zai: null,
  zhipuai: null,
}

interface ServeRule {
  readonly only: RegExp
  readonly not: RegExp
  /** Ids that the package knows by their beginning alone. */
  readonly also?: readonly string[]
}

/** What the gateway counts apart. */
const KINDS: Readonly<Record<string, string>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached_input',
  cache_write_mtok: 'cache_write',
  output_reasoning_mtok: 'reasoning',
  cache_write_1h_mtok: 'cache_write_long',
  input_audio_mtok: 'input_audio',
  cache_audio_read_mtok: 'cached_input_audio',
  input_image_mtok: 'input_image',
  cache_image_read_mtok: 'cached_input_image',
  output_audio_mtok: 'output_audio',
  output_image_mtok: 'output_image',
}

/** What is billed by itself: its name here, and how many the price is for. */
const EACH: Readonly<Record<string, { readonly name: string; readonly zeros: number }>> = {
  requests_kcount: { name: 'per_request', zeros: 3 },
  web_searches_kcount: { name: 'per_search', zeros: 3 },
  input_audio_hours: { name: 'per_audio_hour', zeros: 0 },
}

/** What it does not count apart: video is billed as input, searches of files not at all; `audio_hours` says what `input_audio_hours` does. */
const BILLED_PLAINLY: ReadonlySet<string> = new Set(['input_video_mtok', 'storage_searches_kcount', 'audio_hours'])

export const PRICE_TABLE = join(import.meta.dir, '../src/catalogue/price-table.txt')

/** The text of the price table, from the pinned package; src/catalogue/price-table.ts reads it. */
export function renderPriceTable(): string {
  const lines = [
    `# USD per million tokens, from @pydantic/genai-prices ${packageJson.devDependencies['@pydantic/genai-prices']}. Made by tools/price-table.ts.`,
  ]
  for (const [id, rule] of Object.entries(PROVIDERS)) {
    const provider = findProvider({ providerId: id })
    if (provider?.id !== id) throw new Error(`the package has no provider '${id}'`)
    lines.push(line('provider', id, provider.api_pattern, (provider.fallback_model_providers ?? []).join(' ')))
    for (const model of provider.models) lines.push(modelLine(model, provider.models, rule))
  }
  return `${lines.join('\n')}\n`
}

function line(...fields: readonly string[]): string {
  const odd = fields.find((field) => /[\t\n]/.test(field))
  if (odd !== undefined) throw new Error(`a tab or a line end in: ${odd}`)
  return fields.join('\t').trimEnd()
}

function modelLine(model: ModelInfo, all: readonly ModelInfo[], rule: ServeRule | null): string {
  const priced = pricesText(model)
  const refused = priced.kind === 'refused'
  return line(
    model.id,
    alternatives(model.match).map(alternativeText).join(' '),
    model.context_window === undefined ? '' : String(model.context_window),
    refused ? `!${priced.reason}` : priced.text,
    refused || rule === null || model.deprecated === true ? '' : served(model, all, rule).join(' '),
  )
}

type Priced = { readonly kind: 'priced'; readonly text: string } | { readonly kind: 'refused'; readonly reason: string }

/** `input=1 output=2;@2026-07-30 input=0.5 output=1`: what holds from that day on; `@00:30-16:30`: at those hours of each day (UTC). */
function pricesText({ id, prices }: ModelInfo): Priced {
  const sets: string[] = []
  for (const { constraint, prices: set } of Array.isArray(prices) ? prices : [{ prices }]) {
    const refusal = reasonAgainst(id, set)
    if (refusal !== null) return isFreeModel(id, set) ? FREE : { kind: 'refused', reason: refusal }
    const words: string[] = []
    if (constraint !== undefined) words.push(timeText(constraint))
    for (const kind of missingKinds(id, set)) words.push(`${kind}=0`)
    for (const [key, price] of Object.entries(set)) {
      const kind = KINDS[key]
      const each = EACH[key]
      if (price === undefined) continue
      if (kind !== undefined) words.push(`${kind}=${priceText(price)}`)
      if (each !== undefined && typeof price === 'number') words.push(`${each.name}=${eachText(price, each.zeros)}`)
    }
    sets.push(words.join(' '))
  }
  return { kind: 'priced', text: sets.join(';') }
}

/** Models that write no text have no price for it: embeddings and rerankers; those that are billed by the length of sound have none at all. */
function missingKinds(id: string, set: ModelPrice): string[] {
  const missing = [set.input_mtok === undefined ? 'input' : '', set.output_mtok === undefined ? 'output' : '']
  const may = set.input_audio_hours !== undefined ? ['input', 'output'] : WITHOUT_TEXT.test(id) ? ['output'] : []
  return missing.filter((kind) => may.includes(kind))
}

const WITHOUT_TEXT = /embed|rerank|^text-multilingual|^voyage|^gte-|^bge-|^e5-/i

function timeText(constraint: NonNullable<ConditionalPrice['constraint']>): string {
  if (constraint.type === 'start_date') return `@${constraint.start_date}`
  const [from, until] = [constraint.start_time, constraint.end_time].map(
    (time) => /^(\d{2}:\d{2}):00Z$/.exec(time)?.[1],
  )
  if (from === undefined || until === undefined) throw new Error(`hours of another form: ${JSON.stringify(constraint)}`)
  return `@${from}-${until}`
}

const FREE: Priced = { kind: 'priced', text: 'input=0 output=0' }

/** OpenRouter marks them so; the package gives them no prices at all. */
const isFreeModel = (id: string, set: ModelPrice): boolean => id.endsWith(':free') && Object.keys(set).length === 0

function reasonAgainst(id: string, set: ModelPrice): string | null {
  const keys = Object.keys(set).filter((key) => set[key] !== undefined)
  if (keys.length === 0) return 'it names no price'
  const uncounted = keys.filter(
    (key) => KINDS[key] === undefined && EACH[key] === undefined && !BILLED_PLAINLY.has(key),
  )
  if (uncounted.length > 0) return `its price goes by ${uncounted.join(', ')}, which the gateway does not count`
  const without = [set.input_mtok, set.output_mtok].filter((price) => price === undefined).length
  if (without > missingKinds(id, set).length) return 'it has no price for both input and output'
  for (const key of keys) {
    const price = set[key]
    if (KINDS[key] === undefined || price === undefined) continue
    const numbers = typeof price === 'number' ? [price] : [price.base, ...price.tiers.map((tier) => tier.price)]
    const odd = numbers.find((number) => decimalText(number) === null)
    if (odd !== undefined) return `its price ${odd} has more than 9 decimals`
  }
  return null
}

/** The price of one, where the data has that of a thousand. */
function eachText(price: number, zeros: number): string {
  const [whole = '', fraction = ''] = (decimalText(price) ?? '').split('.')
  const digits = whole.padStart(zeros + 1, '0')
  const text = `${digits.slice(0, digits.length - zeros)}.${digits.slice(digits.length - zeros)}${fraction}`
  return text.replace(/\.?0*$/, '')
}

/** `2.5`, or `2.5>271999:5`: 5 for a prompt of more than 271,999 tokens. */
function priceText(price: number | TieredPrices): string {
  if (typeof price === 'number') return decimalText(price) ?? ''
  return [decimalText(price.base), ...price.tiers.map((tier) => `${tier.start}:${decimalText(tier.price)}`)].join('>')
}

const DECIMALS_MAX = 9

/**
 * The decimal that was written in the package's source, exactly: the shortest text that reads as this number again is that decimal, as
 * long as it has no more than 15 digits. Null for one that nano-dollars cannot hold.
 */
export function decimalText(number: number): string | null {
  const [digits = '', exponent = '0'] = String(number).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const shift = -Number(exponent)
  if (!/^\d+$/.test(whole) || shift < 0 || whole.length + fraction.length > 15) return null
  const all = `${'0'.repeat(shift)}${whole}`
  const text = shift === 0 ? digits : `${all.slice(0, all.length - shift)}.${all.slice(all.length - shift)}${fraction}`
  return (text.split('.')[1] ?? '').length > DECIMALS_MAX ? null : text
}

const alternatives = (match: MatchLogic): readonly MatchLogic[] =>
  'or' in match ? match.or.flatMap(alternatives) : [match]

/** `=id`, `^start`, `$end`, `~part`, `/pattern`; what must hold together is joined by ` & `. */
function alternativeText(match: MatchLogic): string {
  if ('and' in match) return match.and.map(alternativeText).join(' & ')
  if ('or' in match) throw new Error('an alternative inside a conjunction')
  const [[kind, text] = ['', '']] = Object.entries(match)
  if (text.includes(' ')) throw new Error(`a space in: ${text}`)
  return `${MARKS[kind]}${text}`
}

const MARKS: Readonly<Record<string, string>> = {
  equals: '=',
  starts_with: '^',
  ends_with: '$',
  contains: '~',
  regex: '/',
}

/** The ids at which the model is called, `name` or `name=id at the provider`: its own, and those of the same name with a date or `latest`. */
function served(model: ModelInfo, all: readonly ModelInfo[], { only, not, also = [] }: ServeRule): string[] {
  const equals = alternatives(model.match).flatMap((match) => ('equals' in match ? [match.equals] : []))
  const isPattern = !equals.some((id) => nameOf(id, model.id) === model.id)
  const known = also.filter((id) => isMatch(model.match, id))
  const ids = [...(isPattern && isMatch(model.match, model.id) ? [model.id] : []), ...equals, ...known]
  return ids.flatMap((id) => {
    const name = nameOf(id, model.id)
    const isOwn = undated(name) === undated(model.id)
    if (name !== id && ids.includes(name)) return [] // the same model, spelled longer
    if (!isOwn || !only.test(name) || not.test(name) || first(all, id) !== model) return []
    return [name === id ? name : `${name}=${id}`]
  })
}

/** `deepseek-v3p2` for `accounts/fireworks/models/deepseek-v3p2`. */
const nameOf = (id: string, modelId: string): string => (id.endsWith(`/${modelId}`) ? modelId : id)

const undated = (id: string): string => id.replace(/-(latest|\d{4}|\d{8}|\d{4}-\d{2}-\d{2})$/, '')

const first = (all: readonly ModelInfo[], id: string): ModelInfo | undefined =>
  all.find(({ match }) => isMatch(match, id))

function isMatch(match: MatchLogic, id: string): boolean {
  const text = id.toLowerCase()
  if ('or' in match) return match.or.some((part) => isMatch(part, id))
  if ('and' in match) return match.and.every((part) => isMatch(part, id))
  if ('equals' in match) return text === match.equals.toLowerCase()
  if ('starts_with' in match) return text.startsWith(match.starts_with.toLowerCase())
  if ('ends_with' in match) return text.endsWith(match.ends_with.toLowerCase())
  if ('contains' in match) return text.includes(match.contains.toLowerCase())
  return new RegExp(match.regex).test(id)
}

if (import.meta.main) {
  await Bun.write(PRICE_TABLE, renderPriceTable())
  console.log(`wrote ${PRICE_TABLE}`)
}
