import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { ReplyStamp, ReplyView, StreamEvent } from '../../../../src/dialects/index.ts'
import { readReply } from '../../../../src/dialects/openai/read-reply.ts'
import { openReplyStream } from '../../../../src/dialects/openai/reply-stream.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'
import { playStream, streamFixtures } from '../suite.ts'

const STAMP: ReplyStamp = {
  operation: 'chat.completions',
  id: 'gen-1',
  createdS: 1_789_000_000,
  model: 'a/m',
  provider: 'acme',
  isByok: false,
  cost: ({ output }) => money(output * 1000),
  estimate: (textBytes) => ({ ...NO_USAGE, input: 7, output: textBytes }),
}
const VIEW: ReplyView = { operation: 'chat.completions', model: 'a/m', showUsage: false, stamp: STAMP }
const MARKS = { id: 'gen-1', provider: 'acme', model: 'a/m' }

const plain = (json: string) => {
  const reply = readReply(Buffer.from(json), VIEW)
  return reply.kind === 'answer' ? Buffer.from(reply.body).toString() : reply.kind
}
const textOf = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.kind === 'error' ? '' : Buffer.from(event.bytes).toString())).join('')
/** What one event becomes. */
const event = (json: string): string => textOf(openReplyStream(VIEW).push(Buffer.from(`data: ${json}\n\n`)))

const CHOICE = '{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}'
const HEAD = '{"id":"gen-1","provider":"acme","model":"a/m"'

describe('an event', () => {
  test.each([
    // fields that stay, stay as they are, to the digit
    [
      `{"id":"c1","object":"chat.completion.chunk","created":1e3,"model":"x","choices":[${CHOICE}],"x":12345678901234567890}`,
      `${HEAD},"object":"chat.completion.chunk","created":1e3,"choices":[${CHOICE}],"x":12345678901234567890}`,
    ],
    // white space between neighbours too
    [
      `{ "object" : "chat.completion.chunk" , "created":1,\t"choices" : [ ${CHOICE} ] , "id":"c1", "z":1 }`,
      `${HEAD},"object" : "chat.completion.chunk" , "created":1,\t"choices" : [ ${CHOICE} ],"z":1}`,
    ],
    // names with escapes are the same names
    [
      `{"\\u0069d":"c1","object":"chat.completion.chunk","created":1,"choices":[${CHOICE}]}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[${CHOICE}]}`,
    ],
    // what is missing is put in
    ['{}', `${HEAD},"object":"chat.completion.chunk","created":1789000000,"choices":[]}`],
    [
      '{"choices":null,"object":"chat.completion.chunk","created":1}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[]}`,
    ],
    // nulls that readers refuse are left out, also the last or the only field
    [
      `{"usage":null,"object":"chat.completion.chunk","created":1,"choices":[],"system_fingerprint":null}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[]}`,
    ],
    [
      `{"object":"chat.completion.chunk","created":1,"choices":[],"system_fingerprint":"fp"}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[],"system_fingerprint":"fp"}`,
    ],
    [
      `{"object":"chat.completion.chunk","created":1,"choices":[{}],"choices":null}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[]}`,
    ],
    // choices are rewritten only where they must be
    [
      '{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":1.0},"finish_reason":null}],"y":2}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":1.0},"finish_reason":null}],"y":2}`,
    ],
    [
      '{"object":"chat.completion.chunk","created":1,"choices":[{"delta":{"role":null}}],"y":2}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"y":2,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
    ],
    [
      '{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{},"finish_reason":""}]}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
    ],
    [
      '{"object":"chat.completion.chunk","created":1,"choices":[null,{"index":true,"delta":{},"delta":null,"message":{},"finish_reason":7}]}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{},"finish_reason":null},{"index":1,"delta":{"role":"assistant"},"finish_reason":null,"message":{}}]}`,
    ],
    [
      '{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[ ],"annotations":[1.0]},"finish_reason":null}]}',
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","annotations":[1.0]},"finish_reason":null}]}`,
    ],
    // Azure begins so; what is no whole second is none
    [
      '{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[]}',
      `${HEAD},"choices":[],"created":0,"prompt_filter_results":[],"object":"chat.completion.chunk"}`,
    ],
    [
      '{"object":"chat.completion","created":1789000000.25,"choices":[],"x":1}',
      `${HEAD},"choices":[],"x":1,"object":"chat.completion.chunk","created":1789000000}`,
    ],
    // reasoning goes by the name that readers of this surface know, too
    [
      String.raw`{"object":"chat.completion.chunk","created":1,"choices":[ {"index":0,"delta":{"role":"assistant","reasoning_content" : "a\"b\\" },"finish_reason":null}, {"index":1,"delta":{"reasoning_content":"c","role":"assistant"},"finish_reason":null}],"x":1}`,
      String.raw`${HEAD},"object":"chat.completion.chunk","created":1,"choices":[ {"index":0,"delta":{"role":"assistant","reasoning":"a\"b\\","reasoning_content" : "a\"b\\" },"finish_reason":null}, {"index":1,"delta":{"reasoning":"c","reasoning_content":"c","role":"assistant"},"finish_reason":null}],"x":1}`,
    ],
    [
      `{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","reasoning":"","reasoning_content":"c"},"finish_reason":null}]}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"c","reasoning":"c"},"finish_reason":null}]}`,
    ],
    [
      `{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"\u00e9","reasoning":null},"finish_reason":null}]}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"\u00e9","reasoning":"\u00e9"},"finish_reason":null}]}`,
    ],
    ...[
      '{"role":"assistant","reasoning_content":"a","reasoning":"a"}',
      '{"role":"assistant","reasoning_content":""}',
    ].map((delta): [string, string] => {
      const rest = `"object":"chat.completion.chunk","created":1,"choices":[ {"index":0,"delta":${delta},"finish_reason":null}]`
      return [`{${rest}}`, `${HEAD},${rest}}`]
    }),
    [
      `{"object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":"a","reasoning_details":null},"finish_reason":null}]}`,
      `${HEAD},"object":"chat.completion.chunk","created":1,"choices":[${CHOICE}]}`,
    ],
  ])('%s', (given, wanted) => {
    expect(event(given)).toBe(`data: ${wanted}\n\n`)
    expect(JSON.parse(wanted)).toMatchObject(MARKS)
  })

  test('usage alone is withheld; an error is an error', () => {
    expect(event('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}')).toBe('')
    expect(openReplyStream(VIEW).push(Buffer.from('data: {"error":{"message":"m"}}\n\n'))).toMatchObject([
      { kind: 'error' },
    ])
  })
})

test('the reader starts afresh with every event', () => {
  const stream = openReplyStream(VIEW)
  const odd =
    'data: {"object":"chat.completion.chunk","created":1,"choices":[{"delta":{"role":null,"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1},"system_fingerprint":"f"}\n\n'
  stream.push(Buffer.from(odd))
  expect(textOf(stream.push(Buffer.from(`data: {"object":"chat.completion.chunk","choices":[${CHOICE}]}\n\n`)))).toBe(
    `data: ${HEAD},"object":"chat.completion.chunk","choices":[${CHOICE}],"created":1789000000}\n\n`,
  )
})

test.each([
  ['"created":5,', 5],
  ['"created":"then",', 1_789_000_000],
  ['', 1_789_000_000],
])('the event of usage was made when the one was that reported it: %s', (created, at) => {
  const reported = `data: {"id":"c1",${created}"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n`
  const finished = `data: {"id":"c1","created":5,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`
  const stream = openReplyStream(VIEW)
  const told = textOf(stream.push(Buffer.from(`${finished}${reported}data: [DONE]\n\n`)))
  const last = told.split('\n\n').at(-3) ?? ''
  expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ created: at, usage: { total_tokens: 2 } })
})

test.each(['with [DONE]', 'without'])('usage is told once, before the end, %s', (how) => {
  const finish = 'data: {"choices":[{"index":0,"delta":{"content":"abc"},"finish_reason":"stop"}]}\n\n'
  const usage =
    'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"audio_tokens":2}}}\n\n'
  for (const [given, figures] of [
    [
      usage,
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { audio_tokens: 2, cached_tokens: 0 },
        cost: 0.000005,
      },
    ],
    ['', { prompt_tokens: 7, completion_tokens: 3, cost: 0.000003 }],
    ['data: {"choices":[],"usage":{"prompt_tokens":"?"}}\n\n', { prompt_tokens: 7, completion_tokens: 3 }],
  ] as const) {
    const stream = openReplyStream(VIEW)
    const before = textOf(stream.push(Buffer.from(finish + given)))
    expect(before).not.toContain('usage')
    const end =
      how === 'without'
        ? Buffer.from(stream.closing()).toString()
        : textOf(stream.push(Buffer.from('data: [DONE]\n\n')))
    const [first = '', last] = end.split('\n\n')
    expect(last).toBe('data: [DONE]')
    expect(JSON.parse(first.slice(6))).toMatchObject({ ...MARKS, created: 1_789_000_000, usage: figures })
    expect(how === 'without' ? '' : Buffer.from(stream.closing()).toString()).toBe('')
  }
})

describe('every stream of the fixtures', () => {
  for (const { name, bytes } of streamFixtures(join(import.meta.dir, '../../../fixtures/openai'))) {
    test(`${name}: the same kinds, text and end as unstamped, valid JSON with our marks, split anywhere`, () => {
      const bare = playStream(openReplyStream({ operation: 'chat.completions', model: 'a/m', showUsage: true }), [
        bytes,
      ])
      const stamped = playStream(openReplyStream(VIEW), [bytes])
      const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      expect(playStream(openReplyStream(VIEW), pieces)).toEqual(stamped)
      expect(stamped).toMatchObject({ textBytes: bare.textBytes, finished: bare.finished, usage: bare.usage })
      const contents = (events: typeof bare.events) => events.filter(([kind]) => kind === 'content').length
      expect(contents(stamped.events)).toBe(contents(bare.events))
      const said = stamped.events
        .filter(([kind]) => kind !== 'error')
        .map(([, text]) => text)
        .join('')
      for (const line of said.split('\n').filter((line) => line.startsWith('data: {')))
        expect(JSON.parse(line.slice(6))).toMatchObject({ ...MARKS, choices: expect.any(Array) })
    })
  }
})

describe('a plain answer', () => {
  test('has what readers insist on', () => {
    expect(
      JSON.parse(plain('{"model":"x","choices":[{"message":{"content":"abc"},"finish_reason":"stop"}]}')),
    ).toMatchObject({
      ...MARKS,
      object: 'chat.completion',
      created: 1_789_000_000,
      system_fingerprint: null,
      choices: [{ index: 0, message: { role: 'assistant', content: 'abc', refusal: null }, logprobs: null }],
      usage: { prompt_tokens: 7, completion_tokens: 3, cost: 0.000003 },
    })
  })

  test('stays byte for byte where nothing is missing', () => {
    const choices =
      '[{"index":0,"message":{"role":"assistant","content":"\\u00e9","refusal":null,"n":1.0},"logprobs":null,"finish_reason":"stop"}]'
    const rest = `"object":"chat.completion","created":1,"choices":${choices},"system_fingerprint":null,"big":12345678901234567890`
    expect(plain(`{"id":"c1","model":"x",${rest},"usage":{"prompt_tokens":1,"completion_tokens":1}}`)).toStartWith(
      `${HEAD},${rest},"usage":{`,
    )
  })

  test('has its reasoning by both names, and calls without null', () => {
    const call = { id: null, index: null, type: null, function: { name: 'f', arguments: '{}', strict: null } }
    const message = { role: 'assistant', content: null, reasoning_content: 'because', tool_calls: [call] }
    const said = JSON.parse(plain(JSON.stringify({ id: 'c', choices: [{ message, finish_reason: 'tool_calls' }] })))
    expect(said.choices[0].message).toEqual({
      ...{ role: 'assistant', content: null, refusal: null, reasoning_content: 'because', reasoning: 'because' },
      tool_calls: [{ id: 'call_c_0_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
    })
  })

  test('of no choices, or with an error, is none', () => {
    expect(plain('{"choices":[]}')).toBe('not_an_answer')
    expect(plain('{"error":{"message":"m"}}')).toBe('error')
  })
})

test('each choice begins with its role, once; tool calls that are mended change nothing of it', () => {
  const piece = (index: number, delta: object) =>
    JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason: null }] })
  const call = { tool_calls: [{ function: { name: 'f', arguments: '' } }] }
  const given = [piece(0, call), piece(1, { content: 'a' }), piece(0, { content: 'b' }), piece(1, { content: 'c' })]
  const told = textOf(openReplyStream(VIEW).push(Buffer.from(given.map((data) => `data: ${data}\n\n`).join(''))))
  const deltas = told
    .split('\n\n')
    .flatMap((event) => (event === '' ? [] : JSON.parse(event.slice(6)).choices[0].delta))
  expect(deltas.map(({ role }) => role)).toEqual(['assistant', 'assistant', undefined, undefined])
  expect(deltas[0]).toMatchObject({ tool_calls: [{ index: 0, type: 'function' }] })
})
