import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GATEWAY_FIELDS } from '../../src/dialects/gateway-fields.ts'
import { dialectOf, type ReplyView } from '../../src/dialects/index.ts'
import { FORM_OPERATIONS, formOf, OPERATIONS } from '../../src/dialects/openai/form-of.ts'
import { GatewayError, type OperationName } from '../../src/domain/index.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) }
const openai = dialectOf('openai')

/** Numbers and texts that a parse and a stringify would change. */
const raw = fc.oneof(
  fc.constantFrom('1.0', '1e2', '-0.0', '12345678901234567890', '"\\u0041\\/"', '{ "a" : 1 , "a" : 2 }', '[ ]', 'null'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)
const REQUIRED: Readonly<Record<string, string>> = {
  messages: '[{"role":"user","content":"hi"}]',
  input: '"hi"',
  prompt: '"hi"',
  query: '"hi"',
  documents: '["a"]',
}

describe.each([...OPERATIONS].filter((operation) => !FORM_OPERATIONS.has(operation)))('%s', (operation) => {
  const { request } = formOf(operation)
  const read = new Set([...Object.keys(request.fields), ...GATEWAY_FIELDS, 'model'])
  const name = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !read.has(text))
  const required = request.required.filter((field) => field !== 'model')

  test('a body reaches the provider byte for byte, but for the model’s name', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, raw), { maxLength: 6 }), fc.nat(6), fc.string(), (others, at, model) => {
        const fields = [
          ...required.map((field) => `"${field}" : ${REQUIRED[field]}`),
          ...others.map(([field, value]) => `${JSON.stringify(field)}:${value}`),
        ]
        const body = (called: string): string => {
          const all = [...fields]
          all.splice(at, 0, `"model" :\t${JSON.stringify(called)}`)
          return ` {${all.join(' ,')} }`
        }
        const facts = openai.readRequest(operation, Buffer.from(body('asked')))
        const sent = openai.writeRequest(facts, { model, askUsage: false, outputLimit: null })
        expect(Buffer.from(sent).toString()).toBe(body(model))
      }),
      runs,
    )
  })

  test('whatever a field is, it is understood or refused', () => {
    const value = fc.oneof(
      raw,
      fc.constantFrom('0', '-1', '1e308', '9007199254740991', '"sse"', '"base64"', '[[1],[]]', '[{"text":"a"}]', '{}'),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(request.fields)), value), (given) => {
        const others = required.filter((field) => given[field] === undefined).map((field) => [field, REQUIRED[field]])
        const fields = [['model', '"m"'], ...others, ...Object.entries(given)]
        const known = new Map(fields.map(([field, text]) => [field, text]))
        const body = `{${[...known].map(([field, text]) => `"${field}":${text}`).join(',')}}`
        const facts = attempt(operation, body)
        if (facts === null) return
        expect(facts.choices).toBeGreaterThanOrEqual(1)
        for (const units of [facts.promptTextBytes, facts.promptMediaUnits, ...Object.values(facts.asked ?? {})])
          expect(Number.isSafeInteger(units) && units >= 0).toBe(true)
        const sent = openai.writeRequest(facts, { model: 'n', askUsage: facts.stream, outputLimit: null })
        expect(() => JSON.parse(Buffer.from(sent).toString())).not.toThrow()
      }),
      runs,
    )
  })

  test('whatever a plain answer is, it is read', () => {
    const view: ReplyView = { operation, model: 'm', showUsage: true, vectors: 'float' }
    const answer = fc.record(
      Object.fromEntries(
        ['choices', 'data', 'results', 'usage', 'meta', 'error', 'model'].map((field) => [field, fc.jsonValue()]),
      ),
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(answer, (given) => {
        const reply = openai.readReply(Buffer.from(JSON.stringify(given)), view)
        if (reply.kind === 'answer') expect(() => JSON.parse(Buffer.from(reply.body).toString())).not.toThrow()
      }),
      runs,
    )
  })
})

function attempt(operation: OperationName, body: string) {
  try {
    return openai.readRequest(operation, Buffer.from(body))
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError)
    return null
  }
}
