import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dialectOf, type ReplyView } from '../../src/dialects/index.ts'
import { type DialectName, money, NO_USAGE, type OperationName } from '../../src/domain/index.ts'

const runs = { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) * 20 }

/** Names that answers have somewhere, and some that mean something to JavaScript. */
const NAMES =
  'id object created model choices index delta message finish_reason usage error role content tool_calls function name arguments type text data embedding output status response item results meta annotations logprobs content_block stop_reason partial_json input provider toString __proto__ rawJSON'.split(
    ' ',
  )
const WORDS =
  'message_start message_delta message_stop content_block_start content_block_delta response.created response.completed response.output_item.done response.failed error image_generation.completed transcript.text.done assistant stop completed [DONE]'
    .split(' ')
    .concat('', 'a\nb', '\ud800', 'é😀')
const word = fc.constantFrom(...WORDS).map((text) => JSON.stringify(text))
const leaf = fc.oneof(fc.constantFrom('null', 'true', '0', '1', '-0', '1.0', '1e2', '12345678901234567890'), word)

const listOf = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 3 }).map((items) => `[${items}]`)
const tree = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    listOf(tie('tree')),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie('tree')), { maxLength: 5 })
      .map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)} : ${value}`)}}`),
  ),
})).tree

/** An object with these fields: in any order, some twice, some not at all. */
function fieldsOf(fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const one = fc.oneof(
    ...Object.entries(fields).map(([name, value]) => fc.oneof(value, tree).map((json) => `"${name}":${json}`)),
  )
  const many = Object.keys(fields).length
  return fc.array(one, { minLength: 1, maxLength: 2 * many }).map((all) => `{${all}}`)
}

const call = fieldsOf({ index: leaf, id: word, type: word, function: fieldsOf({ name: word, arguments: word }) })
const message = fieldsOf({ role: word, content: word, tool_calls: listOf(call), annotations: tree })
const choice = fieldsOf({ index: leaf, delta: message, message, finish_reason: word, text: word, logprobs: tree })
const anthropicMessage = fieldsOf({ id: word, content: listOf(tree), usage: tree, model: word, stop_reason: word })
const response = fieldsOf({ id: word, status: word, output: listOf(tree), usage: tree, model: word })
const answer = fc.oneof(
  fieldsOf({ id: word, choices: listOf(choice), usage: tree, model: word, created: leaf }),
  anthropicMessage,
  response,
  fieldsOf({ type: word, message: anthropicMessage, index: leaf, content_block: tree, delta: tree, usage: tree }),
  fieldsOf({ type: word, response, item: tree, delta: word, sequence_number: leaf }),
  fieldsOf({ data: listOf(tree), results: listOf(tree), usage: tree, text: word, model: word, input_tokens: leaf }),
  tree,
)

const viewOf = (operation: OperationName, isStamped: boolean): ReplyView => ({
  operation,
  model: 'm',
  showUsage: isStamped,
  ...(isStamped
    ? {
        stamp: {
          ...{ operation, id: 'gen-1', createdS: 7, model: 'm', provider: 'p', isByok: false },
          cost: () => money(5),
          estimate: (textBytes: number) => ({ ...NO_USAGE, output: textBytes }),
        },
      }
    : {}),
})

/** What strict readers need of every choice under `/api/v1` (WIRE.md, 3). */
function expectSoundChoices(text: string, part: 'message' | 'delta'): void {
  const { choices } = JSON.parse(text)
  for (const { index, finish_reason: reason, [part]: said } of choices) {
    expect([typeof index, typeof said]).toEqual(['number', 'object'])
    expect(said).not.toBeNull()
    expect(reason === null || (typeof reason === 'string' && reason !== '')).toBe(true)
    for (const name of ['role', 'tool_calls', 'annotations'])
      expect([null, '[]']).not.toContain(said[name] === null ? null : JSON.stringify(said[name]))
  }
}

/** The data of each event, after the lines of all were looked at. */
function dataIn(text: string): string[] {
  for (const line of text.split('\n')) expect(line).toMatch(/^$|^(data|event): |^:/)
  return text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
}

const STREAMS: readonly (readonly [DialectName, OperationName])[] = [
  ['openai', 'chat.completions'],
  ['openai', 'completions'],
  ['openai', 'images.generations'],
  ['openai', 'responses'],
  ['openai', 'audio.transcriptions'],
  ['anthropic', 'messages'],
]
const WHOLES = [
  ...STREAMS,
  ['openai', 'embeddings'],
  ['openai', 'moderations'],
  ['openai', 'rerank'],
  ['openai', 'responses.input_tokens'],
  ['openai', 'audio.speech'],
  ['anthropic', 'messages.count_tokens'],
] as const

test('whatever a whole answer is: what comes of it, and the stream it stands for, are well-formed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WHOLES), answer, fc.boolean(), ([name, operation], text, isStamped) => {
      const dialect = dialectOf(name)
      const view = viewOf(operation, isStamped)
      const reply = dialect.readReply(Buffer.from(text), view)
      if (reply.kind !== 'answer') return
      const body = Buffer.from(reply.body).toString()
      if (reply.mediaType === undefined) JSON.parse(body)
      if (isStamped && operation === 'chat.completions') expectSoundChoices(body, 'message')
      if (!STREAMS.some(([, streamed]) => streamed === operation)) return
      const raw = dialect.readReply(Buffer.from(text), viewOf(operation, false))
      const stream = dialect.streamOf(raw.kind === 'answer' ? raw.body : expect.unreachable(), operation)
      const live = dialect.openStream(view)
      const events = [...live.push(stream), ...live.end()]
      for (const data of dataIn(Buffer.concat(events.map(({ bytes }) => bytes)).toString())) JSON.parse(data)
    }),
    runs,
  )
})

test('whatever the events of a stream are: those that leave are well-formed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STREAMS),
      fc.array(answer, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      ([name, operation], given, isStamped) => {
        const stream = Buffer.from(`${given.map((data) => `data: ${data}\n\n`).join('')}data: [DONE]\n\n`)
        const live = dialectOf(name).openStream(viewOf(operation, isStamped))
        const events = [...live.push(stream), ...live.end()]
        const text = Buffer.concat([...events.map(({ bytes }) => bytes), live.closing()]).toString()
        for (const data of dataIn(text)) {
          JSON.parse(data)
          if (isStamped && operation === 'chat.completions') expectSoundChoices(data, 'delta')
        }
        dialectOf(name).readReply(stream, viewOf(operation, isStamped))
      },
    ),
    runs,
  )
})
