import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf } from '../../src/dialects/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const openai = dialectOf('openai')
const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const some = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })

const call = fc.record({
  id: fc.uuid(),
  type: fc.constant('function'),
  function: fc.record({ name: some, arguments: text }),
})
const message = fc.record(
  {
    role: fc.constant('assistant'),
    content: fc.oneof(some, fc.constant(null)),
    reasoning: some,
    refusal: fc.oneof(some, fc.constant(null)),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['role', 'content', 'refusal'] },
)
const choices = fc
  .array(fc.record({ message, finish_reason: fc.constantFrom('stop', 'length', 'tool_calls') }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map((choice, index) => ({ index, logprobs: null, ...choice })))
const answer = fc.record(
  {
    id: fc.uuid(),
    object: fc.constant('chat.completion'),
    created: fc.nat(),
    model: fc.constant('m1'),
    system_fingerprint: fc.oneof(some, fc.constant(null)),
    choices,
    usage: fc.constant({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }),
  },
  { requiredKeys: ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices'] },
)

test('an answer told as a stream, and put together again, is the same answer', () => {
  fc.assert(
    fc.property(answer, (whole) => {
      const events = openai.streamOf(Buffer.from(JSON.stringify(whole)), 'chat.completions')
      const reply = openai.readReply(events, { operation: 'chat.completions', model: 'm1', showUsage: true })
      if (reply.kind !== 'answer') throw new Error(reply.kind)
      expect(JSON.parse(Buffer.from(reply.body).toString())).toEqual(whole)
    }),
    { numRuns: RUNS },
  )
})

const parts = fc.array(fc.record({ type: fc.constant('output_text'), text, annotations: fc.constant([]) }), {
  maxLength: 3,
})
const item = fc.oneof(
  fc.record({ id: fc.uuid(), type: fc.constant('message'), role: fc.constant('assistant'), content: parts }),
  fc.record({
    id: fc.uuid(),
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text }), { maxLength: 2 }),
  }),
  fc.record({ id: fc.uuid(), type: fc.constant('function_call'), call_id: fc.uuid(), name: some, arguments: text }),
  fc.record({ id: fc.uuid(), type: some }),
)
const response = fc.record({
  id: fc.uuid(),
  object: fc.constant('response'),
  status: fc.constantFrom('completed', 'incomplete'),
  model: fc.constant('m1'),
  output: fc.array(item, { maxLength: 4 }),
  usage: fc.constant({ input_tokens: 3, output_tokens: 4, total_tokens: 7 }),
})
const VIEW = { operation: 'responses', model: 'm1', showUsage: true } as const

test('a response told as a stream, and put together again, is the same response', () => {
  fc.assert(
    fc.property(response, (whole) => {
      const reply = openai.readReply(openai.streamOf(Buffer.from(JSON.stringify(whole)), 'responses'), VIEW)
      if (reply.kind !== 'answer') throw new Error(reply.kind)
      expect(JSON.parse(Buffer.from(reply.body).toString())).toEqual(whole)
    }),
    { numRuns: RUNS },
  )
})

test('as a stream a response is whole, keeps the same items, and is read alike however it is split', () => {
  fc.assert(
    fc.property(response, fc.integer({ min: 1, max: 50 }), (whole, size) => {
      const body = Buffer.from(JSON.stringify(whole))
      const plain = openai.readReply(body, VIEW)
      const stream = openai.openStream(VIEW)
      const events = openai.streamOf(body, 'responses')
      const written: Uint8Array[] = []
      for (let at = 0; at < events.length; at += size)
        written.push(...stream.push(events.subarray(at, at + size)).map(({ bytes }) => bytes))
      expect([stream.finished, plain.kind]).toEqual([true, 'answer'])
      expect(stream.stored?.items.toSorted()).toEqual([...new Set(whole.output.map(({ id }) => id))].toSorted())
      expect(Buffer.concat(written).toString()).toBe(Buffer.from(events).toString())
    }),
    { numRuns: RUNS },
  )
})

test('as a stream it is whole, with as much text', () => {
  fc.assert(
    fc.property(answer, fc.integer({ min: 1, max: 50 }), (whole, size) => {
      const body = Buffer.from(JSON.stringify(whole))
      const plain = openai.readReply(body, { operation: 'chat.completions', model: 'm1', showUsage: true })
      const stream = openai.openStream({ operation: 'chat.completions', model: 'm1', showUsage: true })
      const events = openai.streamOf(body, 'chat.completions')
      for (let at = 0; at < events.length; at += size) stream.push(events.slice(at, at + size))
      stream.end()
      expect([stream.finished, stream.closed]).toEqual([true, true])
      expect(plain).toMatchObject({ kind: 'answer', textBytes: stream.textBytes, usage: stream.usage })
    }),
    { numRuns: RUNS },
  )
})
