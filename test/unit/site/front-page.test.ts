import { describe, expect, test } from 'bun:test'
import { buildCatalogue } from '../../../src/catalogue/index.ts'
import type { Backend } from '../../../src/domain/index.ts'
import { type FrontPageFacts, frontPage, frontPageFacts } from '../../../src/site/index.ts'
import { backendOf, modelOf, partsOf } from '../catalogue/support.ts'
import { configOf } from '../config/support.ts'

const price = (input: number, output: number) => ({ price: { input: input * 1e7, output: output * 1e7 } }) // in cents
const [north, south, off] = [backendOf('north'), backendOf('south'), backendOf('off', false)]
const catalogue = buildCatalogue(
  partsOf(
    [north, south, off],
    [
      modelOf('m/one', [
        [north, price(15, 60)],
        [south, price(15, 75)],
        [off, price(1, 1)],
      ]),
      modelOf('m/none', [[north], [south, { enabled: false }]]),
      modelOf('m/free', [[south, price(0, 0)]]),
    ],
    { quick: 'm/one' },
  ),
  { version: 1, createdAtS: 0 },
)
const source = {
  version: '0.1.0',
  origin: 'http://127.0.0.1:8080',
  catalogue,
  ready: true,
  isUp: ({ id }: Backend) => id === 'north',
}

describe('frontPageFacts', () => {
  test('tells prices, context and backends of what is switched on', () => {
    expect(frontPageFacts(source).models).toEqual([
      {
        id: 'm/one',
        aliases: ['quick'],
        inputPrice: '$0.15',
        outputPrice: 'from $0.60',
        contextTokensMax: 1000,
        chats: true,
        backendsUp: 1,
        backends: 2,
      },
      {
        id: 'm/none',
        aliases: [],
        inputPrice: null,
        outputPrice: null,
        contextTokensMax: 1000,
        chats: true,
        backendsUp: 1,
        backends: 1,
      },
      {
        id: 'm/free',
        aliases: [],
        inputPrice: 'free',
        outputPrice: 'free',
        contextTokensMax: 1000,
        chats: true,
        backendsUp: 0,
        backends: 1,
      },
    ])
  })

  test('tells router models that have a model, and which they are', () => {
    expect(frontPageFacts(source).routers).toEqual([
      { id: 'anyrouter/auto', by: 'needs', freeOnly: false, models: ['m/one', 'm/none', 'm/free'] },
      { id: 'anyrouter/free', by: 'needs', freeOnly: true, models: ['m/free'] },
    ])
    const parts = partsOf([north], [modelOf('m/one', [[north, price(15, 60)]])])
    const [auto, ...others] = frontPageFacts({
      ...source,
      catalogue: buildCatalogue(parts, { version: 1, createdAtS: 0 }),
    }).routers
    expect(auto?.models).toEqual(['m/one'])
    expect(others).toEqual([])
  })

  test('tells the state', () => {
    expect(frontPageFacts(source).state).toBe('ready')
    expect(frontPageFacts({ ...source, ready: false }).state).toBe('unready')
    const empty = buildCatalogue(partsOf([], []), { version: 1, createdAtS: 0 })
    expect(frontPageFacts({ ...source, catalogue: empty }).state).toBe('no_provider')
  })
})

describe('frontPage', () => {
  const page = frontPage(frontPageFacts(source))

  test('shows what the gateway serves and how to ask for it', () => {
    for (const part of [
      '<small>0.1.0</small>',
      '<span class="state ready">ready</span>',
      '<code>m/one</code><small>also quick</small>',
      '<td class="number">from $0.60</td>',
      '<td class="number">1,000</td>',
      '<td class="number">1 of 2</td>',
      '<td class="whole"><code>anyrouter/auto</code></td><td class="words">one that fits it</td><td class="words">all</td>',
      '<code>anyrouter/free</code></td><td class="words">one that costs nothing</td><td class="words">m/free</td>',
      '<code>http://127.0.0.1:8080/api/v1</code>',
      'curl -i http://127.0.0.1:8080/v1/chat/completions',
      '&quot;model&quot;:&quot;m/one&quot;',
      'Bearer YOUR_KEY',
      'baseURL: &quot;http://127.0.0.1:8080/v1&quot;, apiKey: &quot;YOUR_KEY&quot;',
      'Server-Timing',
      'href="/swagger"',
    ]) {
      expect(page).toContain(part)
    }
  })

  test('the first request is to a model that can be used, and in OpenAI’s form where nobody serves it', () => {
    const parts = partsOf([north, off], [modelOf('m/off', [[off]]), modelOf('m/on', [[north, price(15, 60)]])])
    const facts = frontPageFacts({ ...source, catalogue: buildCatalogue(parts, { version: 1, createdAtS: 0 }) })
    expect(frontPage(facts)).toContain('&quot;model&quot;:&quot;m/on&quot;')
    const nobody = frontPage({ ...facts, models: facts.models.slice(0, 1) })
    expect(nobody).toContain('/v1/chat/completions')
    expect(nobody).toContain('&quot;model&quot;:&quot;m/off&quot;')
  })

  test('names the base URL of Anthropic’s SDKs where a model can be asked in their form', () => {
    const named = '<dt>Base URL, for any Anthropic SDK</dt><dd><code>http://127.0.0.1:8080</code></dd>'
    expect(page).not.toContain('Anthropic')
    const backend: Backend = { ...north, dialects: ['openai', 'anthropic'] }
    const parts = partsOf([backend], [modelOf('m/one', [[backend, price(15, 60)]])])
    const spoken = buildCatalogue(parts, { version: 1, createdAtS: 0 })
    expect(frontPage(frontPageFacts({ ...source, catalogue: spoken }))).toContain(named)
  })

  test('has no script, nothing from outside and no address of a backend', () => {
    expect(page).not.toMatch(/<script|\son\w+=|https?:\/\/(?!127\.0\.0\.1:8080)/i)
    expect(page).not.toContain('secret-address')
    expect(page.match(/(?:src|href)="[^"]*"/g)).toEqual([
      'href="data:,"',
      'href="/swagger"',
      'href="/swagger"',
      'href="/readyz"',
      'href="/healthz"',
    ])
  })

  test('escapes every value', () => {
    const evil = `"><script>alert('x')</script>&`
    const [model] = frontPageFacts(source).models
    if (model === undefined) throw new Error('no model')
    const facts: FrontPageFacts = {
      version: evil,
      origin: evil,
      state: 'ready',
      speaksAnthropic: true,
      models: [{ ...model, id: evil, aliases: [evil], inputPrice: evil, outputPrice: evil }],
      routers: [{ id: evil, by: 'order', freeOnly: false, models: [evil] }],
    }
    const text = frontPage(facts)
    expect(text).not.toContain('<script')
    expect(text).not.toContain("alert('x')")
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;')
  })

  test('a long list of models comes after the first request', () => {
    const facts = frontPageFacts(source)
    const [model] = facts.models
    if (model === undefined) throw new Error('no model')
    const isFirst = (page: string) => page.indexOf('<table>') < page.indexOf('curl -i')
    expect(isFirst(page)).toBe(true)
    expect(isFirst(frontPage({ ...facts, models: Array.from({ length: 13 }, () => model) }))).toBe(false)
  })

  test('says when nothing can be served', () => {
    const text = frontPage(frontPageFacts({ ...source, ready: false }))
    expect(text).toContain('<span class="state unready">not ready</span>')
    expect(text).toContain('<code>m/one</code>')
  })

  test('without a provider names the three ways on; the configurations it shows are good', async () => {
    const text = frontPage({
      version: '0.1.0',
      origin: 'http://127.0.0.1:8080',
      state: 'no_provider',
      models: [],
      speaksAnthropic: false,
      routers: [],
    })
    expect(text).toContain('no provider yet')
    expect(text).not.toContain('<table')
    const blocks = [...text.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, block]) =>
      (block ?? '').replaceAll('&quot;', '"'),
    )
    expect(blocks).toHaveLength(3)
    expect(blocks[0]).toBe('anyrouter serve --demo')
    expect(blocks[1]).toBe('OPENAI_API_KEY=... anyrouter')
    expect((await configOf('', { OPENAI_API_KEY: 'x' })).catalogue.models.size).toBeGreaterThan(10)
    expect((await configOf(blocks[2] ?? '')).catalogue.models.size).toBe(1)
  })
})

/** WCAG 2 contrast of two colours `#rrggbb`. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

test('text has a contrast of at least 4.5 : 1 in both themes', () => {
  const text = frontPage(frontPageFacts(source))
  const themes = text.split('prefers-color-scheme: dark').slice(0, 2)
  expect(themes).toHaveLength(2)
  for (const theme of themes) {
    const colors = new Map([...theme.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [name, color]))
    const pairs = [
      ...['paper', 'card', 'code'].flatMap((ground) => ['ink', 'soft', 'accent'].map((ink) => [ink, ground])),
      ['good', 'good-paper'],
      ['warn', 'warn-paper'],
    ]
    for (const [ink = '', ground = ''] of pairs) {
      const ratio = contrast(colors.get(ink) ?? '', colors.get(ground) ?? '')
      expect(`${ink} on ${ground} ${ratio >= 4.5}`).toBe(`${ink} on ${ground} true`)
    }
  }
})
