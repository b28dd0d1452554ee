import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { configSchema } from '../../src/config/config-schema.ts'
import { loadConfig } from '../../src/config/index.ts'
import { configOf, surroundings, withOffer } from '../unit/config/support.ts'

const numRuns = Number(process.env.ANYROUTER_RUNS ?? 100)
const SECRET = 'sk-canary-0123456789'

const load = (text: string) =>
  loadConfig('/c.yaml', surroundings({ '/c.yaml': text, '/k': SECRET }, { ACME_KEY: SECRET }))

/** YAML-like text: real keys and values among noise. */
const words = [
  ...Object.keys(configSchema.shape),
  'acme',
  'url',
  'backends',
  'offers',
  'price',
  'input',
  'env',
  'ACME_KEY',
  'http://h',
  '0.1',
  '{',
  '}',
  '[',
  ']',
  ': ',
  ', ',
  '- ',
  '\n',
  '\n  ',
  '\n    ',
  '&a',
  '*a',
  '"',
  '#',
  '\t',
  '!x',
  '|',
  '%',
]
const yamlish = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...words) }, fc.string()), { maxLength: 60 })
  .map((parts) => parts.join(''))

test('any text gives a configuration or problems with a place inside the file, and no secret', async () => {
  await fc.assert(
    fc.asyncProperty(yamlish, async (text) => {
      const loaded = await load(text)
      if (loaded.kind === 'config') return
      expect(loaded.problems.length).toBeGreaterThan(0)
      const lines = text.split('\n').length
      for (const { line, column, reason } of loaded.problems) {
        expect(reason).not.toBe('')
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(lines)
        expect(column).toBeGreaterThanOrEqual(1)
      }
      expect(JSON.stringify(loaded.problems)).not.toContain('canary')
    }),
    { numRuns },
  )
})

const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('acme', 'http://h/v1', 'prompt', '32MB'),
)
const key = fc.constantFrom(
  'server',
  'port',
  'providers',
  'acme',
  'backends',
  'url',
  'models',
  'offers',
  'backend',
  'price',
  'input',
  'output',
  'aliases',
  'credentials',
  'id',
  'env',
  'dialects',
  'x',
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

test('any shape of values gives a configuration or problems whose path begins at a key of the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, tree, { noNullPrototype: true }), async (value) => {
      const loaded = await load(stringify(value))
      if (loaded.kind === 'config') return
      for (const { path } of loaded.problems) expect(Object.keys(value)).toContain(path.split('.')[0] ?? '')
    }),
    { numRuns },
  )
})

test('every price of at most 9 decimals is read exactly, quoted or not', async () => {
  const digits = (min: number, max: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''))
  await fc.assert(
    fc.asyncProperty(digits(1, 6), digits(1, 9), fc.boolean(), async (whole, fraction, quoted) => {
      const text = `${whole}.${fraction}`
      const config = await configOf(
        withOffer(`{ backend: a, price: { input: ${quoted ? `"${text}"` : text}, output: 0 } }`),
      )
      const exact = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
      expect(BigInt(config.catalogue.models.get('m')?.offers[0]?.price?.input ?? -1)).toBe(exact)
    }),
    { numRuns },
  )
})
