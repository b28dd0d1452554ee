import { describe, expect, test } from 'bun:test'
import { problemsOf, withBackend, withOffer } from './support.ts'

describe('unknown keys', () => {
  test('are errors, with the nearest key of their place', async () => {
    expect(await problemsOf('servr: {}\n')).toMatchObject([
      {
        path: 'servr',
        line: 1,
        column: 1,
        reason: "'servr' is not a setting of this version",
        suggestion: "Did you mean 'server'?",
      },
    ])
    expect(await problemsOf('server:\n  hots: x\n')).toMatchObject([
      { path: 'server.hots', line: 2, column: 3, suggestion: "Did you mean 'host'?" },
    ])
    expect(await problemsOf(withBackend('{ url: "http://h", slot: 1 }'))).toMatchObject([
      { path: 'providers.acme.backends.a.slot', suggestion: "Did you mean 'slots'?" },
    ])
    expect(await problemsOf(withOffer('{ backend: a, price: { input: 1, outptu: 1, output: 1 } }'))).toMatchObject([
      { path: 'models.m.offers.0.price.outptu', suggestion: "Did you mean 'output'?" },
    ])
  })

  test('far from all: the known ones are listed', async () => {
    expect(await problemsOf('money: { zzzzzz: 1 }')).toMatchObject([
      { suggestion: 'Known here: output_reserve_tokens, output_cap_tokens, before_content, crash, byok_fee_bps' },
    ])
  })

  test('what later versions bring is not accepted silently', async () => {
    expect((await problemsOf('webhooks: {}'))[0]?.reason).toContain('is not a setting of this version')
    expect(
      await problemsOf('providers:\n  p:\n    allow_inline_secrets: true\n    backends: { a: { url: "http://h" } }\n'),
    ).toHaveLength(1)
  })

  test('an unknown key with an empty value is told too', async () => {
    expect(await problemsOf('server:\n  prot:\n')).toMatchObject([
      { path: 'server.prot', suggestion: "Did you mean 'port'?" },
    ])
  })

  test('a name of any length is cut short', async () => {
    const [problem] = await problemsOf(`${'k'.repeat(900)}: 1`)
    expect(problem?.reason.length).toBeLessThan(150)
    expect(problem?.path.length).toBeLessThan(100)
  })

  test('thousands of them are told in part', async () => {
    const many = Array.from({ length: 5000 }, (_, at) => `k${at}: 1`).join('\n')
    expect(await problemsOf(many)).toHaveLength(100)
  })
})

describe('wrong values', () => {
  test('are named by kind, and never repeated', async () => {
    const problems = await problemsOf(
      `server: { port: "81", host: 5 }\n${withBackend('sk-canary-1').replace('acme:', 'acme:\n    credentials: [sk-canary-2]')}`,
    )
    expect(problems).toMatchObject([
      {
        path: 'server.port',
        line: 1,
        column: 17,
        reason: 'must be a number, not text',
        suggestion: 'Write it without quotes.',
      },
      { path: 'server.host', reason: 'must be text, not a whole number', suggestion: 'Put it into quotes.' },
      { path: 'providers.acme.credentials.0', line: 4, column: 19, reason: 'must be a section with keys, not text' },
      { path: 'providers.acme.backends.a', reason: 'must be a section with keys, not text' },
    ])
    expect(JSON.stringify(problems)).not.toContain('canary')
  })

  test('choices are listed, with the nearest', async () => {
    expect(await problemsOf('money: { crash: delivred }')).toMatchObject([
      { path: 'money.crash', reason: 'must be one of delivered, hold, void', suggestion: "Did you mean 'delivered'?" },
    ])
  })

  test('missing keys are told at their section', async () => {
    expect(await problemsOf('providers:\n  acme:\n    backends:\n      a: { slots: 1 }\n')).toMatchObject([
      { path: 'providers.acme.backends.a.url', line: 4, column: 7, reason: "'url' is missing" },
    ])
    expect(await problemsOf('models:\n  m: { context: 1 }\n')).toMatchObject([
      { path: 'models.m.offers', line: 2, column: 3, reason: "'offers' is missing" },
    ])
    expect(await problemsOf('providers:\n  acme: {}\n')).toMatchObject([
      { path: 'providers.acme.backends', reason: "'backends' is missing" },
    ])
    expect(await problemsOf('models:\n  m:\n')).toMatchObject([
      { path: 'models.m', reason: 'must be a section with keys, not empty' },
    ])
  })

  test('models without offers are refused', async () => {
    expect(await problemsOf('models:\n  m: { offers: [] }\n')).toMatchObject([
      { path: 'models.m.offers', reason: 'must have at least one offer' },
    ])
  })

  test('problems come in the order of the file', async () => {
    const problems = await problemsOf('limits: { waiters_max: x }\nserver: { port: x }\nmoney: { crash: x }\nzzz: 1\n')
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3, 4])
  })

  test('names with letters that ids do not have are refused', async () => {
    expect(await problemsOf('models:\n  "a b": { offers: [{ backend: a }] }\n')).toMatchObject([
      { path: 'models.a b', line: 2 },
    ])
    expect(await problemsOf(withBackend('{ url: "http://h" }').replace('a:', '"a/b":'))).toMatchObject([
      { path: 'providers.acme.backends.a/b' },
    ])
  })
})

describe('dialects', () => {
  const withDialects = (dialects: string) =>
    `providers:\n  acme:\n    dialects: ${dialects}\n    backends: { a: { url: "http://h" } }\n`

  test('one this version does not speak says so, as a scalar and in a list', async () => {
    expect(await problemsOf(withDialects('gemini'))).toMatchObject([
      { path: 'providers.acme.dialects', line: 3, column: 15 },
    ])
    expect(await problemsOf(withDialects('[openai, gemini]'))).toMatchObject([
      { path: 'providers.acme.dialects.1', line: 3, column: 24 },
    ])
    expect(await problemsOf(withDialects('opnai'))).toMatchObject([{ suggestion: "Did you mean 'openai'?" }])
    expect(await problemsOf(withDialects('[]'))).toHaveLength(1)
  })
})
