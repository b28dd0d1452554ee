import { describe, expect, test } from 'bun:test'
import { openPriceTable } from '../../../src/catalogue/index.ts'
import { priceAt } from '../../../src/domain/index.ts'

const TEXT = `# of a test
provider\tacme\thttps://api\\.acme\\.example\tother
small\t=small =small-2025-01-01 ^old-small\t128000\tinput=0.15 cached_input=0.075 output=0.6\tsmall small-2025-01-01
big\t=big $-big ~bigger /^b\\dg$\t\tinput=2.5>271999:5 output=15>199999:16>271999:22.5 cache_write=3\tlabs/big=big
pair\t^pair & /^(?!.*-tts)\t\tinput=1 output=1
dated\t=dated\t\tinput=10 output=40;@2026-06-10 input=2 output=8;@2026-08-01 input=1 output=4
hours\t=hours\t\tinput=1 output=2 cached_input=0.5;@2026-06-10 input=2 output=3;@01:30-16:30 input=1.5 output=5 cached_input=1
media\t=media\t\tinput=1 output=2 input_audio=3 cached_input_image=4 output_audio=5 cache_write_long=6 per_search=0.01 per_request=0.012
# a remark in between
senses\t=senses\t\tinput=1 output=2 reasoning=3 cached_input_audio=4 input_image=5 output_image=6
Caps\t=Caps ^Pre- $-Suf ~-Mid-\t\tinput=1 output=1
halves\t=halves\t\t@00:00-12:00 input=1 output=4;@12:00-23:59 input=3 output=2
heard\t=heard\t\tinput=0 output=0 per_audio_hour=0.111
voice\t=voice\t\t!its price goes by messages, which the gateway does not count\tvoice
provider\tother\thttps://other\\.example
theirs\t=theirs\t\tinput=7 output=7
`
const table = openPriceTable(TEXT)
const JULY_MS = Date.UTC(2026, 6, 1)
const USD = 1_000_000_000

const priceOf = (id: string, wallMs = JULY_MS) => {
  const finding = table.find('acme', id, wallMs)
  return finding.kind === 'found' ? finding.model.price : finding
}

describe('whose prices', () => {
  test('by the base URL first, then by the name of the provider', () => {
    expect(table.providerOf({ baseUrl: 'https://api.acme.example/v1', providerId: 'other' })).toBe('acme')
    expect(table.providerOf({ baseUrl: 'http://127.0.0.1:9/v1', providerId: 'other' })).toBe('other')
    expect(table.providerOf({ baseUrl: 'http://h/?https://api.acme.example', providerId: 'mine' })).toBeNull()
  })

  test('the names that people give providers are known in the real data', () => {
    const real = openPriceTable()
    for (const [providerId, expected] of [
      ['gemini', 'google'],
      ['xai', 'x-ai'],
      ['together-ai', 'together'],
      ['openai', 'openai'],
    ] as const) {
      expect(real.providerOf({ baseUrl: 'http://h/v1', providerId })).toBe(expected)
    }
    expect(
      real.providerOf({ baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', providerId: 'a' }),
    ).toBe('google')
  })
})

describe('find', () => {
  test('by the rules of the data: equal, start, end, part, pattern, several at once; the case of letters is nothing', () => {
    const ids = (id: string) => {
      const finding = table.find('acme', id, JULY_MS)
      return finding.kind === 'found' ? finding.model.id : finding.kind
    }
    expect(['small', 'SMALL-2025-01-01', 'old-small-9'].map(ids)).toEqual(['small', 'small', 'small'])
    expect(['big', 'very-big', 'a-bigger-one', 'b7g'].map(ids)).toEqual(['big', 'big', 'big', 'big'])
    expect(['pair-1', 'pair-1-tts', 'smal', ''].map(ids)).toEqual(['pair', 'unknown', 'unknown', 'unknown'])
    expect(['CAPS', 'pre-1', 'PRE-1', 'a-suf', 'a-mid-b', 'a-mi-b'].map(ids)).toEqual([
      ...Array<string>(5).fill('Caps'),
      'unknown',
    ])
    expect(table.find('nobody', 'small', JULY_MS)).toEqual({ kind: 'unknown' })
  })

  test('a price and the context', () => {
    expect(table.find('acme', 'small', JULY_MS)).toEqual({
      kind: 'found',
      model: {
        id: 'small',
        price: { input: 0.15 * USD, output: 0.6 * USD, cachedInput: 0.075 * USD },
        contextTokensMax: 128_000,
      },
    })
  })

  test('a context that is not told', () => {
    expect(table.find('acme', 'big', JULY_MS)).toMatchObject({ kind: 'found', model: { contextTokensMax: null } })
  })

  test('tiers are cliffs, each with the rates of every kind', () => {
    expect(priceOf('big')).toEqual({
      input: 2.5 * USD,
      output: 15 * USD,
      cacheWrite: 3 * USD,
      tiers: [
        { promptTokensFrom: 200_000, input: 2.5 * USD, output: 16 * USD, cacheWrite: 3 * USD },
        { promptTokensFrom: 272_000, input: 5 * USD, output: 22.5 * USD, cacheWrite: 3 * USD },
      ],
    })
  })

  const heldAt = (id: string, loadedMs: number, heldMs: number) => {
    const price = priceOf(id, loadedMs)
    return 'input' in price ? priceAt(price, heldMs) : price
  }

  test('the last price whose day has come, at the time of the hold', () => {
    const [june9, june10, year27] = [Date.UTC(2026, 5, 9, 23, 59), Date.UTC(2026, 5, 10), Date.UTC(2027, 0, 1)]
    for (const loadedMs of [0, june9]) {
      expect(heldAt('dated', loadedMs, june9)).toEqual({ input: 10 * USD, output: 40 * USD })
      expect(heldAt('dated', loadedMs, june10)).toEqual({ input: 2 * USD, output: 8 * USD })
      expect(heldAt('dated', loadedMs, year27)).toEqual({ input: 1 * USD, output: 4 * USD })
    }
    expect(priceOf('dated', june10)).toMatchObject({ input: 2 * USD, output: 8 * USD })
    expect(priceOf('dated', year27)).toEqual({ input: 1 * USD, output: 4 * USD })
  })

  test('where it goes by the hour, the hour of the hold counts; what stands beside is the dearest of each kind', () => {
    expect(priceOf('hours')).toMatchObject({ input: 2 * USD, output: 5 * USD, cachedInput: 2 * USD })
    expect(priceOf('hours', 0)).toMatchObject({ input: 1.5 * USD, output: 5 * USD, cachedInput: 1 * USD })
    const at = (hours: number, minutes: number) => heldAt('hours', JULY_MS, Date.UTC(2026, 6, 3, hours, minutes))
    const night = { input: 2 * USD, output: 3 * USD }
    const day = { input: 1.5 * USD, output: 5 * USD, cachedInput: 1 * USD }
    expect([at(1, 29), at(1, 30), at(16, 29), at(16, 30)]).toEqual([night, day, day, night])
    const hour = 3_600_000
    expect(priceOf('hours')).toMatchObject({
      times: [
        { fromMs: Date.UTC(2026, 5, 10), hours: null },
        { fromMs: 0, hours: [1.5 * hour, 16.5 * hour] },
      ],
    })
    expect(priceOf('halves')).toMatchObject({ input: 3 * USD, output: 4 * USD })
  })

  test('media, and what is billed by itself', () => {
    expect(priceOf('media')).toEqual({
      ...{ input: 1 * USD, output: 2 * USD, inputAudio: 3 * USD, cachedInputImage: 4 * USD, outputAudio: 5 * USD },
      ...{ cacheWriteLong: 6 * USD, perSearch: USD / 100, perRequest: 12_000_000 },
    })
    expect(priceOf('senses')).toEqual({
      ...{ input: 1 * USD, output: 2 * USD, reasoning: 3 * USD, cachedInputAudio: 4 * USD },
      ...{ inputImage: 5 * USD, outputImage: 6 * USD },
    })
    expect(priceOf('heard')).toEqual({ input: 0, output: 0, perAudioHour: 111_000_000 })
  })

  test('a price of another kind is refused in words; what a provider passes on is found at its maker', () => {
    expect(table.find('acme', 'voice', JULY_MS)).toEqual({
      kind: 'unusable',
      reason: 'its price goes by messages, which the gateway does not count',
    })
    expect(priceOf('theirs')).toEqual({ input: 7 * USD, output: 7 * USD })
  })
})

test.each([
  ['input=1 output=1 smell=2', "a kind 'smell'"],
  ['input=1 output=dear', "a price 'dear'"],
  ['input=1', 'has input and output'],
  ['output=1', 'has input and output'],
  ['@2027-01-01 input=1 output=1', 'no price holds'],
  ['input=1 output=1;@22:00-06:00 input=2 output=2', 'over midnight'],
  ['input=1 output=1;@06:00-06:00 input=2 output=2', 'over midnight'],
  ['input=1>9:2 output=1;@06:00-07:00 input=2 output=2', 'both tiers and hours'],
])('data that says %j is a bug', (prices, message) => {
  const faulty = openPriceTable(`provider\tacme\thttps://a\\.example\nm\t=m\t\t${prices}\n`)
  expect(() => faulty.find('acme', 'm', JULY_MS)).toThrow(message)
})

test('served: the names of the API, with what the provider calls them', () => {
  expect(table.served('acme', JULY_MS).map(({ name, providerModel, id }) => [name, providerModel, id])).toEqual([
    ['small', 'small', 'small'],
    ['small-2025-01-01', 'small-2025-01-01', 'small'],
    ['labs/big', 'big', 'big'],
  ])
  expect(table.served('nobody', JULY_MS)).toEqual([])
})

test('the real data: chat models alone, each of whose names is priced as the model it stands at', () => {
  const real = openPriceTable()
  for (const provider of [
    'openai',
    'openrouter',
    'groq',
    'mistral',
    'deepseek',
    'google',
    'together',
    'fireworks',
    'x-ai',
  ]) {
    const served = real.served(provider, JULY_MS)
    expect(served.length).toBeGreaterThan(5)
    expect(new Set(served.map(({ name }) => name)).size).toBe(served.length)
    for (const { providerModel, id } of provider === 'openrouter' ? served.slice(0, 40) : served) {
      const finding = real.find(provider, providerModel, JULY_MS)
      expect(finding).toMatchObject({ kind: 'found', model: { id } })
    }
  }
  const names = real.served('openai', JULY_MS).map(({ name }) => name)
  expect(names).toContain('gpt-4o-mini')
  for (const other of ['whisper-1', 'gpt-image-1', 'text-embedding-3-small', 'gpt-realtime', 'o1-pro', 'davinci'])
    expect(names).not.toContain(other)
  expect(real.served('fireworks', JULY_MS).find(({ name }) => name === 'deepseek-v3p2')?.providerModel).toBe(
    'accounts/fireworks/models/deepseek-v3p2',
  )
})
