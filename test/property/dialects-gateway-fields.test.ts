import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf } from '../../src/dialects/index.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) * 3 }
const openai = dialectOf('openai')
const OWN = [
  ['models', '["a" ,"b"]'],
  ['provider', '{"only":["x"], "max_price" : {"prompt":1.50}}'],
  ['session_id', '"s,}\\""'],
  ['route', '"fallback"'],
  ['transforms', '[ ]'],
  ['usage', '{ "include":true }'],
] as const
const OTHERS = [
  ['seed', '12345678901234567890'],
  ['temperature', '1.0'],
  ['x', '{"models":["a"],"provider":1}'],
  ['logit_bias', '{ "1" : -0.0 }'],
  ['user', '"a, b"'],
  ['prompt_cache_key', '"k"'],
] as const

const bodies = fc.record({
  own: fc.subarray([...OWN], { minLength: 1 }),
  others: fc.subarray([...OTHERS]),
  space: fc.constantFrom('', ' ', '\n  ', '\t\r\n'),
  order: fc.infiniteStream(fc.nat()),
})

/** The members of an object as JSON, with white space wherever it may stand. */
const objectOf = (members: readonly (readonly [name: string, value: string])[], space: string): string =>
  `${space}{${members.map(([name, value]) => `${space}"${name}"${space}:${space}${value}${space}`).join(',')}}${space}`

test('what is for the gateway alone is taken out, and every other byte stays', () => {
  fc.assert(
    fc.property(bodies, ({ own, others, space, order }) => {
      const fixed = [
        ['model', '"m"'],
        ['messages', '[{"role":"user","content":"h\\u00e9"}]'],
      ] as const
      const members = [...fixed, ...own, ...others]
        .map((member) => ({ member, at: order.next().value }))
        .toSorted((one, other) => Number(one.at) - Number(other.at))
        .map(({ member }) => member)
      const names = new Set<string>(own.map(([name]) => name))
      const kept = members.filter(([name]) => !names.has(name))
      const facts = openai.readRequest('chat.completions', Buffer.from(objectOf(members, space)))
      const sent = openai.writeRequest(facts, { model: 'm', askUsage: false, outputLimit: null })
      const bare = (text: string): string => text.replaceAll(space === '' ? '\0' : space, '')
      expect(bare(Buffer.from(sent).toString())).toBe(bare(objectOf(kept, space)))
      for (const [name, value] of kept)
        expect(Buffer.from(sent).toString()).toContain(`"${name}"${space}:${space}${value}`)
      const asked = openai.writeRequest(facts, { model: 'p', askUsage: true, outputLimit: 7 })
      expect(JSON.parse(Buffer.from(asked).toString())).toEqual({
        ...JSON.parse(objectOf(kept, '')),
        model: 'p',
        stream_options: { include_usage: true },
        max_tokens: 7,
      })
    }),
    runs,
  )
})

test('any value of such a field is understood or named as a fault, and never a bug', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc
      .record({
        name: fc.constantFrom('only', 'sort', 'max_price', 'quantizations', 'preferred_max_latency', 'zdr', 'order'),
        value: fc.jsonValue({ maxDepth: 2 }),
      })
      .map((field) => ({ [field.name]: field.value })),
  )
  fc.assert(
    fc.property(fc.constantFrom('models', 'provider', 'session_id', 'prompt_cache_key'), value, (name, given) => {
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], [name]: given })
      try {
        openai.readRequest('chat.completions', Buffer.from(body))
      } catch (error) {
        expect(error).toMatchObject({
          name: 'GatewayError',
          status: 400,
          details: { param: expect.stringContaining(name) },
        })
      }
    }),
    runs,
  )
})
