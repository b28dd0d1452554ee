import { describe, expect, test } from 'bun:test'
import { configOf, problemsOf, withOffer } from './support.ts'

describe('YAML', () => {
  test('tabs, open quotes and second documents are told with their place', async () => {
    expect(await problemsOf('server:\n\tport: 1\n')).toMatchObject([
      {
        line: 2,
        column: 1,
        reason: 'not valid YAML: Tabs are not allowed as indentation',
        suggestion: 'Indent with spaces, not with tabs.',
      },
    ])
    expect((await problemsOf('server:\n  host: "abc\n'))[0]).toMatchObject({ path: '', line: 3 })
    expect(await problemsOf('server: {}\n---\nserver: {}\n')).toMatchObject([
      { line: 2, reason: 'not valid YAML: the file holds more than one document' },
    ])
    expect(await problemsOf('server: !env HOST\n')).toMatchObject([{ line: 1, column: 9 }])
  })

  test('a key given twice names both lines', async () => {
    expect(await problemsOf('server:\n  port: 1\n  host: a\n  port: 2\n')).toMatchObject([
      {
        path: 'server.port',
        line: 4,
        column: 3,
        reason: "'port' is given twice (first on line 2)",
        suggestion: 'Keep one of them.',
      },
    ])
    expect(await problemsOf('models:\n  m: {}\n  "m": {}\n')).toMatchObject([{ path: 'models.m', line: 3 }])
  })

  test('keys that are no words are refused', async () => {
    expect(await problemsOf('? [a]\n: 1\n')).toMatchObject([{ reason: 'this cannot be a key' }])
    expect(await problemsOf('models: { __proto__: {} }')).toMatchObject([{ line: 1, reason: 'this cannot be a key' }])
  })

  test('anchors are followed; those that loop, multiply or point nowhere are refused', async () => {
    const config = await configOf(
      'providers:\n  p:\n    backends:\n      a: &same { url: "http://127.0.0.1:9/v1", slots: 3 }\n      b: *same\n',
    )
    expect(config.catalogue.backends.get('b')?.slots).toBe(3)
    expect(await problemsOf('server: &s [*s]')).toMatchObject([{ reason: 'the file is nested too deep, or too large' }])
    expect(await problemsOf('server: *nothing')).toMatchObject([{ path: 'server', line: 1 }])
    const laughs = 'bcdefghijk'.split('').map((name, at) => {
      const before = String.fromCharCode('a'.charCodeAt(0) + at)
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
    })
    expect(await problemsOf(`a: &a [x,x,x,x,x,x,x,x,x]\n${laughs.join('\n')}`)).toMatchObject([
      { reason: 'the file is nested too deep, or too large' },
    ])
  })

  test('deep nesting ends in a problem, not in a crash', async () => {
    expect((await problemsOf('['.repeat(20_000))).length).toBeGreaterThan(0)
    expect((await problemsOf(`server: ${'{a: '.repeat(100)}1${'}'.repeat(100)}`))[0]?.line).toBe(1)
  })

  test('a file of thousands of errors gives a few', async () => {
    const problems = await problemsOf('}\n'.repeat(3000))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(5)
  })
})

describe('prices', () => {
  const priceOf = async (text: string) =>
    (await configOf(withOffer(`{ backend: a, price: { input: ${text}, output: 0 } }`))).catalogue.models.get('m')
      ?.offers[0]?.price?.input

  test('are read from the source text, digit for digit', async () => {
    expect(await priceOf('0.1')).toBe(100_000_000)
    expect(await priceOf('"0.1"')).toBe(100_000_000)
    expect(await priceOf('0.10')).toBe(100_000_000)
    expect(await priceOf('3')).toBe(3_000_000_000)
    expect(await priceOf('0.000000001')).toBe(1)
    // As a float this is 9000000.123456789 -> 9000000.12345679
    expect(await priceOf('9000000.123456789')).toBe(9_000_000_123_456_789)
  })

  test('everything but plain digits is refused, with the place', async () => {
    for (const bad of [
      '0.1234567891',
      '1e-3',
      '-1',
      '+1',
      '.5',
      '5.',
      '0x10',
      '1_000',
      '12345678',
      '99999999',
      'free',
      'true',
      '[1]',
    ]) {
      const problems = await problemsOf(withOffer(`{ backend: a, price: { input: ${bad}, output: 0 } }`))
      expect(problems).toMatchObject([{ path: 'models.m.offers.0.price.input', line: 8, column: 39 }])
    }
  })

  test('all kinds are taken, and cost beside price', async () => {
    const kinds = '{ input: 1, cached_input: 0.1, cache_write: 1.25, output: 2, reasoning: 3, per_request: 0.5 }'
    const config = await configOf(withOffer(`{ backend: a, price: ${kinds}, cost: { input: 1, output: 1 } }`))
    const offer = config.catalogue.models.get('m')?.offers[0]
    expect(offer?.price).toEqual({
      input: 1_000_000_000,
      cachedInput: 100_000_000,
      cacheWrite: 1_250_000_000,
      output: 2_000_000_000,
      reasoning: 3_000_000_000,
      perRequest: 500_000_000,
    })
    expect(offer?.cost).toEqual({ input: 1_000_000_000, output: 1_000_000_000 })
  })
})
