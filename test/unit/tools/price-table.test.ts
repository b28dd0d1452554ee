import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices'
import { openPriceTable } from '../../../src/catalogue/index.ts'
import { costOf, formatUsd, money, type Price, ratesAt } from '../../../src/domain/index.ts'
import { decimalText, PRICE_TABLE, renderPriceTable } from '../../../tools/price-table.ts'

const LATE_MS = Date.UTC(2100, 0, 1)
const table = openPriceTable()
const PROVIDERS = readFileSync(PRICE_TABLE, 'utf8')
  .matchAll(/^provider\t(\S+)/gm)
  .map((match) => match[1] ?? '')
  .toArray()

test('the file is what the pinned package gives: run tools/price-table.ts after an update', () => {
  expect(readFileSync(PRICE_TABLE, 'utf8')).toBe(renderPriceTable())
})

const KINDS = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cachedInput',
  cache_write_mtok: 'cacheWrite',
  output_reasoning_mtok: 'reasoning',
  cache_write_1h_mtok: 'cacheWriteLong',
  input_audio_mtok: 'inputAudio',
  cache_audio_read_mtok: 'cachedInputAudio',
  input_image_mtok: 'inputImage',
  cache_image_read_mtok: 'cachedInputImage',
  output_audio_mtok: 'outputAudio',
  output_image_mtok: 'outputImage',
} as const

const EACH = {
  requests_kcount: ['perRequest', 1000],
  web_searches_kcount: ['perSearch', 1000],
  input_audio_hours: ['perAudioHour', 1],
} as const

/** Prices that do not change with the day or the hour. */
const steady = ({ prices }: ModelInfo): ModelPrice | null => (Array.isArray(prices) ? null : prices)

/** A float and a decimal are the same number when the decimal, read as a float, is that float. */
const dollars = (nano: number | undefined): number | undefined =>
  nano === undefined ? undefined : Number(formatUsd(money(nano)))

test('every price is the very number of the package, in every tier; a model that cannot be told so is refused with a reason', () => {
  let found = 0
  for (const provider of PROVIDERS) {
    for (const model of findProvider({ providerId: provider })?.models ?? []) {
      const prices = steady(model)
      if (prices === null || Object.keys(prices).length === 0) continue
      const finding = table.find(provider, idOf(model), LATE_MS)
      if (finding.kind === 'unusable') expect(finding.reason.length).toBeGreaterThan(10)
      if (finding.kind !== 'found' || finding.model.id !== model.id) continue
      found++
      for (const [key, price] of Object.entries(prices)) {
        if (key in EACH && typeof price === 'number') {
          const [name, count] = EACH[key as keyof typeof EACH]
          expect((dollars(finding.model.price[name]) ?? -1) * count).toBeCloseTo(price, 12)
        }
        if (!(key in KINDS)) continue
        const kind = KINDS[key as keyof typeof KINDS]
        const steps = typeof price === 'object' ? price.tiers : []
        const base = typeof price === 'object' ? price.base : price
        expect(dollars(finding.model.price[kind])).toBe(base)
        for (const { start, price: above } of steps) {
          expect(dollars(ratesAt(finding.model.price, start)[kind])).not.toBe(above)
          expect(dollars(ratesAt(finding.model.price, start + 1)[kind])).toBe(above)
        }
      }
    }
  }
  expect(found).toBeGreaterThan(700)
})

/** An id that the model's own rule takes. */
function idOf({ id, match }: ModelInfo): string {
  const [first] = 'or' in match ? match.or : [match]
  return first !== undefined && 'equals' in first ? first.equals : id
}

test('a request costs what the package reckons, but for its floats', () => {
  const usage = { input: 210_000, cachedInput: 60_000, cacheWrite: 5000, output: 1234, reasoning: 0 }
  for (const [provider, model] of [
    ['openai', 'gpt-4o-mini'],
    ['openai', 'gpt-5.4'],
    ['google', 'gemini-2.5-pro'],
    ['x-ai', 'grok-4.3'],
    ['deepseek', 'deepseek-v3.2'],
    ['anthropic', 'claude-sonnet-4-5'],
  ] as const) {
    const finding = table.find(provider, model, LATE_MS)
    const price: Price = finding.kind === 'found' ? finding.model.price : { input: 0, output: 0 }
    const theirs = calcPrice(
      { input_tokens: 275_000, cache_read_tokens: 60_000, cache_write_tokens: 5000, output_tokens: 1234 },
      model,
      { providerId: provider, timestamp: new Date(LATE_MS) },
    )
    expect(costOf(usage, price) / 1e9).toBeCloseTo(theirs?.total_price ?? -1, 8)
  }
})

test.each([
  [0.15, '0.15'],
  [2, '2'],
  [1e-7, '0.0000001'],
  [1.5e-7, '0.00000015'],
  [123456.5, '123456.5'],
  [1e-9, '0.000000001'],
  [1e-10, null],
  [0.08333333333333334, null],
  [1e21, null],
  [-1, null],
])('%p is written %p', (number, text) => {
  expect(decimalText(number)).toBe(text)
})
