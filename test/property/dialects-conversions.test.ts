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
    refusal: some,
    tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['role', 'content'] },
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
    system_fingerprint: some,
    choices,
    usage: fc.constant({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }),
  },
  { requiredKeys: ['id', 'object', 'created', 'model', 'choices'] },
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
