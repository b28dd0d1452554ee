import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf, type RequestPatch } from '../../src/dialects/index.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) * 3 }
const openai = dialectOf('openai')
const READ = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'best_of',
])

/** Numbers and texts that a parse and a stringify would change. */
const raw = fc.oneof(
  fc.constantFrom('1.0', '1e2', '-0.0', '12345678901234567890', '"\\u0041\\/"', '{ "a" : 1 , "a" : 2 }', '[ ]', 'null'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)
const name = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !READ.has(text) && text !== '__proto__')
const spaces = fc.constantFrom('', ' ', '\n  ', '\t')
const limit = fc.option(fc.constantFrom('null', '0', '12', '1e3', '"x"'), { nil: undefined })

interface Field {
  readonly name: string
  readonly value: string
}

const bodies = fc
  .record({
    model: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    text: fc.string({ unit: 'grapheme', maxLength: 200 }),
    others: fc.array(fc.record({ name, value: raw }), { maxLength: 5 }),
    maxTokens: limit,
    maxCompletionTokens: limit,
    stream: fc.constantFrom(undefined, 'true', 'false', 'null'),
    streamOptions: fc.constantFrom(
      undefined,
      'null',
      '{}',
      '{ }',
      '{"include_usage":false,"a":1.0}',
      '{"a":[1e1] , "include_usage" : true }',
    ),
    space: spaces,
  })
  .chain((parts) => {
    const fields: Field[] = [
      { name: 'model', value: JSON.stringify(parts.model) },
      { name: 'messages', value: `[{"role":"user","content":${JSON.stringify(parts.text)}}]` },
      ...parts.others,
    ]
    const add = (field: string, value: string | undefined) => value !== undefined && fields.push({ name: field, value })
    add('max_tokens', parts.maxTokens)
    add('max_completion_tokens', parts.maxCompletionTokens)
    add('stream', parts.stream)
    add('stream_options', parts.streamOptions)
    return fc.record({
      fields: fc.shuffledSubarray(fields, { minLength: fields.length }),
      space: fc.constant(parts.space),
    })
  })
const patches = fc.record({
  model: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  outputLimit: fc.option(fc.nat(100_000)),
})

function written({ fields, space }: { fields: readonly Field[]; space: string }): string {
  const members = fields.map((field) => `${space}${JSON.stringify(field.name)}${space}:${space}${field.value}`)
  return `${space}{${members.join(`${space},`)}${space}}${space}`
}

/** What the provider must get, said in the plainest way. */
function expected(body: string, patch: RequestPatch): Record<string, unknown> {
  const value = JSON.parse(body) as Record<string, unknown>
  value.model = patch.model
  if (patch.askUsage) value.stream_options = { ...(value.stream_options as object | null), include_usage: true }
  const { outputLimit } = patch
  if (outputLimit === null) return value
  const names = ['max_tokens', 'max_completion_tokens']
  const named = names.filter((field) => value[field] !== undefined && value[field] !== null)
  const nulled = Object.keys(value).filter((field) => names.includes(field))
  for (const field of named.length > 0 ? named : nulled.length > 0 ? nulled.slice(-1) : ['max_tokens'])
    value[field] = outputLimit
  return value
}

test('a request reaches the provider as it came, but for the fields of the patch', () => {
  fc.assert(
    fc.property(bodies, patches, (body, { model, outputLimit }) => {
      const text = written(body)
      const facts = openai.readRequest('chat.completions', Buffer.from(text))
      const patch = { model, askUsage: facts.stream, outputLimit }
      const sent = Buffer.from(openai.writeRequest(facts, patch)).toString()
      expect(JSON.parse(sent)).toEqual(expected(text, patch))
      for (const field of body.fields) {
        if (!READ.has(field.name))
          expect(sent).toContain(`${JSON.stringify(field.name)}${body.space}:${body.space}${field.value}`)
      }
    }),
    runs,
  )
})

test('the bytes outside the spans are equal', () => {
  fc.assert(
    fc.property(bodies, patches, (body, { model }) => {
      const bytes = Buffer.from(written(body))
      const facts = openai.readRequest('chat.completions', bytes)
      const sent = Buffer.from(openai.writeRequest(facts, { model, askUsage: false, outputLimit: null }))
      const { start, end } = facts.layout.model ?? { start: 0, end: 0 }
      expect(sent.subarray(0, start)).toEqual(bytes.subarray(0, start))
      expect(sent.subarray(sent.length - (bytes.length - end))).toEqual(bytes.subarray(end))
      expect(sent.subarray(start, sent.length - (bytes.length - end)).toString()).toBe(JSON.stringify(model))
      // With nothing to change, nothing changes.
      const again = openai.readRequest('chat.completions', sent)
      expect(Buffer.from(openai.writeRequest(again, { model, askUsage: false, outputLimit: null }))).toEqual(sent)
    }),
    runs,
  )
})

test('the text of messages is as long as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { minLength: 1, maxLength: 4 }), (texts) => {
      const messages = texts.map((content) => ({ role: 'user', content }))
      const facts = openai.readRequest('chat.completions', Buffer.from(JSON.stringify({ model: 'm', messages })))
      expect(facts.promptTextBytes).toBe(texts.reduce((sum, text) => sum + 4 + Buffer.byteLength(text), 0))
    }),
    runs,
  )
})
