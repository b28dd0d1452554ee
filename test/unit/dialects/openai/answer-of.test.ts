import { describe, expect, test } from 'bun:test'
import { answerOf } from '../../../../src/dialects/openai/answer-of.ts'

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, reason: string | null = null, index = 0) =>
  event({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'x',
    choices: [{ index, delta, finish_reason: reason }],
  })
const DONE = 'data: [DONE]\n\n'

function sumOf(...events: string[]) {
  const sum = answerOf(Buffer.from(events.join('')))
  return sum.kind === 'not_an_answer' ? sum.message : JSON.parse(Buffer.from(sum.body).toString())
}

describe('a stream as an answer', () => {
  test('its texts together, under its own name and with its usage', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const events = [
      ': waiting\n\n',
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning: 'th' }),
      chunk({ reasoning: 'ink' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo', refusal: null }),
      chunk({}, 'stop'),
      event({ id: 'c1', choices: [], usage }),
      DONE,
    ]
    expect(sumOf(...events)).toEqual({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'x',
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null, reasoning: 'think' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage,
    })
  })

  test('numbers stay digit for digit, also where they are said twice', () => {
    const said =
      'data: {"x":1.0,"choices":[{"index":0,"delta":{},"seed":16183438542816233001,"finish_reason":"stop"}]}\n\n'
    const sum = answerOf(Buffer.from(said + said + DONE))
    const body = sum.kind === 'answer' ? Buffer.from(sum.body).toString() : sum.kind
    expect(body).toContain('"x":1.0,')
    expect(body).toContain('"seed":16183438542816233001,')
    expect(sumOf('data: 1.0\n\n')).toBe('an event of the stream is no JSON object')
  })

  test('tool calls are put together by their index, or in their order', () => {
    const piece = (call: object) => chunk({ tool_calls: [call] })
    const whole = [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]
    const byIndex = sumOf(
      piece({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      piece({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{' } }),
      piece({ index: 0, function: { arguments: '{"x"' } }),
      piece({ index: 1, id: 'b', function: { name: 'g', arguments: '}' } }),
      piece({ index: 0, id: '', function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    )
    expect(byIndex.choices[0]).toMatchObject({
      message: { content: null, tool_calls: whole },
      finish_reason: 'tool_calls',
    })
    const inOrder = sumOf(
      piece({ id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      piece({ function: { arguments: '1}' } }),
      piece({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
    )
    expect(inOrder.choices[0].message.tool_calls).toEqual(whole)
  })

  test('several choices in the order of their index', () => {
    const sum = sumOf(chunk({ content: 'b' }, null, 1), chunk({ content: 'a' }, 'stop', 0), chunk({}, 'length', 1))
    expect(sum.choices).toMatchObject([
      { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' }, finish_reason: 'length' },
    ])
  })

  test('lists go on: logprobs, annotations', () => {
    const logprobs = (token: string) => ({ content: [{ token }], refusal: null })
    const sum = sumOf(
      event({ choices: [{ index: 0, delta: { content: 'a', annotations: [1] }, logprobs: logprobs('a') }] }),
      event({ choices: [{ index: 0, delta: { annotations: [2] }, logprobs: logprobs('b'), finish_reason: 'stop' }] }),
    )
    expect(sum.choices[0]).toMatchObject({
      message: { annotations: [1, 2] },
      logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
    })
  })

  test('what a provider names `__proto__` touches nothing', () => {
    sumOf(
      'data: {"__proto__":{"a":1},"choices":[{"__proto__":{"a":1},"delta":{"__proto__":{"a":1}},"finish_reason":"stop"}]}\n\n',
    )
    expect(({} as { a?: number }).a).toBeUndefined()
  })

  test.each([
    ['an error among its events', [chunk({ content: 'a' }), event({ error: { message: 'busy' } })]],
    ['an event of errors', [chunk({ content: 'a' }), `event: error\n${event({ message: 'busy' })}`]],
  ])('%s is an error', (_name, events) => {
    expect(answerOf(Buffer.from(events.join(''))).kind).toBe('error')
    expect(sumOf(...events)).toEqual({ error: { message: 'busy' } })
  })

  test.each([
    ['without its end', [chunk({ content: 'a' }), DONE], 'the stream ended before its end'],
    [
      'of which one choice has no end',
      [chunk({}, 'stop', 0), chunk({ content: 'a' }, null, 1)],
      'the stream ended before its end',
    ],
    ['of nothing', [DONE], 'the stream ended before its end'],
    ['of no JSON', ['data: zzz\n\n'], 'an event of the stream is not JSON'],
    ['of no objects', ['data: 7\n\n'], 'an event of the stream is no JSON object'],
    [
      'with an event beyond the bound',
      [`data: ${'x'.repeat(4 * 1024 * 1024 + 1)}`],
      'an event is larger than 4194304 bytes',
    ],
  ])('one %s is none', (_name, events, message) => {
    expect(sumOf(...events)).toBe(message)
  })
})
