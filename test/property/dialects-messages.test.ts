import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf } from '../../src/dialects/index.ts'
import { playStream } from '../unit/dialects/suite.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) * 3 }
const anthropic = dialectOf('anthropic')
const VIEW = { operation: 'messages', model: 'm1', showUsage: true } as const

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const input = fc.dictionary(
  text.filter((name) => name !== '__proto__'),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
  { maxKeys: 4 },
)
const block = fc.oneof(
  text.map((said) => ({ type: 'text', text: said })),
  fc.record({ thinking: text, signature: text }).map((fields) => ({ type: 'thinking', ...fields })),
  fc.record({ id: text, name: text, input }).map((fields) => ({ type: 'tool_use', ...fields })),
  text.map((data) => ({ type: 'redacted_thinking', data })),
  fc.record({ tool_use_id: text, content: fc.array(fc.record({ title: text })) }).map((fields) => ({
    type: 'web_search_tool_result',
    ...fields,
  })),
)
const message = fc.record({
  id: text,
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: fc.constant('m1'),
  content: fc.array(block, { maxLength: 5 }),
  stop_reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens'),
  stop_sequence: fc.constant(null),
  usage: fc.record({
    input_tokens: fc.nat(1000),
    cache_read_input_tokens: fc.nat(1000),
    cache_creation_input_tokens: fc.nat(1000),
    output_tokens: fc.nat(1000),
  }),
})

test('a message told as a stream, and put together again, is the same message', () => {
  fc.assert(
    fc.property(message, (whole) => {
      const events = anthropic.streamOf(Buffer.from(JSON.stringify(whole)), 'messages')
      const reply = anthropic.readReply(events, VIEW)
      if (reply.kind !== 'answer') throw new Error(reply.kind)
      expect(JSON.parse(Buffer.from(reply.body).toString())).toEqual(whole)
    }),
    runs,
  )
})

test('as a stream it is whole, with the same usage and as much text, in any pieces', () => {
  fc.assert(
    fc.property(message, fc.integer({ min: 1, max: 50 }), (whole, size) => {
      const body = Buffer.from(JSON.stringify(whole))
      const plain = anthropic.readReply(body, VIEW)
      const events = anthropic.streamOf(body, 'messages')
      const pieces = Array.from({ length: Math.ceil(events.length / size) }, (_, at) =>
        events.subarray(at * size, (at + 1) * size),
      )
      const stream = anthropic.openStream(VIEW)
      const played = playStream(stream, pieces)
      expect([stream.finished, stream.closed]).toEqual([true, true])
      if (plain.kind !== 'answer') throw new Error(plain.kind)
      expect([played.usage, played.textBytes]).toEqual([plain.usage, plain.textBytes])
      expect(played.events.every(([, event]) => /^event: \w+\ndata: [^\n]*\n\n$/.test(event))).toBe(true)
    }),
    runs,
  )
})

/** Numbers and texts that a parse and a stringify would change. */
const raw = fc.oneof(
  fc.constantFrom('1.0', '1e2', '-0.0', '12345678901234567890', '"\\u0041\\/"', '{ "a" : 1 , "a" : 2 }', '[ ]', 'null'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)
const READ = new Set(Object.getOwnPropertyNames(Object.prototype))
const other = fc.record({ name: text.filter((name) => !READ.has(name)).map((name) => `x-${name}`), value: raw })

test('of a request every byte but model and limit reaches the provider as it came', () => {
  const bodies = fc.record({ model: text.filter(Boolean), said: text, others: fc.array(other, { maxLength: 4 }) })
  fc.assert(
    fc.property(bodies, text.filter(Boolean), fc.option(fc.nat(9999)), (parts, model, limit) => {
      const fields = (name: string, tokens: string) =>
        [
          ['max_tokens', tokens],
          ...parts.others.map(({ name: field, value }) => [field, value] as const),
          ['messages', `[{"role":"user","content":${JSON.stringify(parts.said)}}]`],
          ['model', name],
        ].map(([field = '', value = '']) => `${JSON.stringify(field)} : ${value}`)
      const body = `{ ${fields(JSON.stringify(parts.model), '16').join(' ,')}\n}`
      const facts = anthropic.readRequest('messages', Buffer.from(body))
      expect(facts).toMatchObject({ model: parts.model, outputLimit: 16 })
      const sent = anthropic.writeRequest(facts, { model, askUsage: false, outputLimit: limit })
      const wanted = `{ ${fields(JSON.stringify(model), limit === null ? '16' : String(limit)).join(' ,')}\n}`
      expect(Buffer.from(sent).toString()).toBe(wanted)
    }),
    runs,
  )
})
