import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JsonError, JsonKeys, JsonReader, jsonText } from '../../src/lib/index.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) * 5 }
/** Strings of all lengths that the reader treats in different ways, with what is special in them. */
const strings = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '😀', 'x'.repeat(97), 'y'.repeat(300)), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
)
const documents = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), strings, strings, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, name, text, indent]) => JSON.stringify({ value, [name]: [text, { [text]: value }] }, null, indent))
const mutations = fc.array(
  fc.record({
    at: fc.nat(),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\/ \n\t0123456789.eE+-truefalsn\u0001ux')), fc.nat(255)),
    how: fc.constantFrom('replace', 'remove', 'insert'),
  }),
  { maxLength: 3 },
)

function isJson(bytes: Uint8Array): boolean {
  const reader = new JsonReader(NOTHING)
  try {
    reader.open(bytes)
    reader.skip()
    reader.finish()
    return true
  } catch (error) {
    if (error instanceof JsonError) return false
    throw error
  }
}

function isJsonToTheEngine(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

const NOTHING = new Uint8Array(0)

test('what the engine parses is valid, what it does not parse is not', () => {
  fc.assert(
    fc.property(documents, mutations, (json, changes) => {
      const bytes = [...Buffer.from(json)]
      for (const { at, byte, how } of changes) {
        const place = at % (bytes.length + 1)
        if (how === 'insert') bytes.splice(place, 0, byte)
        else bytes.splice(place, 1, ...(how === 'replace' ? [byte] : []))
      }
      const mutant = Uint8Array.from(bytes)
      expect([isJson(mutant), json]).toEqual([isJsonToTheEngine(mutant), json])
    }),
    runs,
  )
})

test('a document cut anywhere is no document', () => {
  fc.assert(
    fc.property(documents, fc.nat(), (json, cut) => {
      const bytes = Buffer.from(json)
      expect(isJson(bytes)).toBe(true)
      expect(isJson(bytes.subarray(0, cut % bytes.length))).toBe(false)
    }),
    runs,
  )
})

test('fields stand where their values are, and the text is as long as the engine says', () => {
  const rule = { without: new JsonKeys([]), names: true }
  fc.assert(
    fc.property(documents, (json) => {
      const bytes = Buffer.from(json)
      const reader = new JsonReader(bytes)
      const found: unknown[] = []
      reader.enter()
      while (reader.nextKey()) {
        reader.skip()
        found.push(JSON.parse(bytes.toString('utf8', reader.valueStart, reader.valueEnd)))
      }
      reader.finish()
      expect(found).toEqual(inOrderOf(json))
      expect(jsonText(new JsonReader(bytes), rule)).toBe(textOf(JSON.parse(json)))
    }),
    runs,
  )
})

/** The values in the order of the text: an object of the engine puts names like "1" first, and keeps none twice. */
function inOrderOf(json: string): unknown[] {
  const value = JSON.parse(json) as Record<string, unknown>
  return Object.keys(value).map((name) => value[name])
}

function textOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textOf(item), 0)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [name, item]) => sum + Buffer.byteLength(name) + textOf(item), 0)
}
