import { describe, expect, test } from 'bun:test'
import { openai } from '../../../../src/dialects/openai/openai.ts'
import { playStream } from '../suite.ts'

const VIEW = { operation: 'chat.completions', model: 'm', showUsage: false } as const

/** The tool calls of each event, for events with these. */
function streamed(...events: readonly { choice?: number; calls: readonly object[] }[]): unknown[] {
  const lines = events.map(({ choice = 0, calls }) => {
    const chunk = {
      id: 'c/1',
      model: 'x',
      choices: [{ index: choice, delta: { tool_calls: calls }, finish_reason: null }],
    }
    return `data: ${JSON.stringify(chunk)}\n\n`
  })
  const played = playStream(openai.openStream(VIEW), [Buffer.from(lines.join(''))])
  return played.events.map(([, text]) => JSON.parse(text.slice(6)).choices[0].delta.tool_calls)
}

/** What these events become on a stamped surface. */
function stamped(...events: readonly object[]) {
  const stamp = {
    operation: 'chat.completions' as const,
    id: 'gen-1',
    createdS: 7,
    model: 'm',
    provider: 'acme',
    isByok: false,
    cost: () => expect.unreachable(),
    estimate: () => expect.unreachable(),
  }
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const played = playStream(openai.openStream({ ...VIEW, stamp }), [Buffer.from(lines.join(''))])
  return played.events.map(([, text]) => JSON.parse(text.slice('data: '.length)))
}

describe('in a stream', () => {
  test('what is whole is not touched', () => {
    const first = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '' } }
    const next = { index: 0, function: { arguments: '{}' } }
    expect(streamed({ calls: [first] }, { calls: [next] })).toEqual([[first], [next]])
  })

  test('a call begins with an id or a name; what follows belongs to it', () => {
    const made = streamed(
      { calls: [{ id: 'a', function: { name: 'f', arguments: '' } }, { function: { name: 'g', arguments: '' } }] },
      { calls: [{ function: { arguments: '1' } }] },
      { calls: [{ id: 'b', type: 'function', function: { name: 'h', arguments: '' } }] },
    )
    expect(made).toEqual([
      [
        { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
        { index: 1, id: 'call_c_1_0_1', type: 'function', function: { name: 'g', arguments: '' } },
      ],
      [{ index: 1, function: { arguments: '1' } }],
      [{ index: 2, id: 'b', type: 'function', function: { name: 'h', arguments: '' } }],
    ])
  })

  test('each choice counts for itself', () => {
    const call = { function: { name: 'f', arguments: '' } }
    expect(streamed({ calls: [call] }, { choice: 1, calls: [call] })).toMatchObject([
      [{ index: 0, id: 'call_c_1_0_0' }],
      [{ index: 0, id: 'call_c_1_1_0' }],
    ])
  })

  test('arguments without a beginning are a call all the same; a custom tool is one', () => {
    expect(streamed({ calls: [{ function: { arguments: '{' } }] })).toMatchObject([[{ index: 0, type: 'function' }]])
    expect(streamed({ calls: [{ index: 0, id: 't', custom: { name: 'f', input: '' } }] })).toMatchObject([
      [{ index: 0, id: 't', type: 'custom' }],
    ])
  })

  test('on a stamped surface too', () => {
    const call = { function: { name: 'f', arguments: '' } }
    expect(
      stamped({ id: 'c', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }),
    ).toMatchObject([
      { id: 'gen-1', choices: [{ delta: { tool_calls: [{ index: 0, id: 'call_c_0_0', type: 'function' }] } }] },
    ])
  })

  test('nulls of a later piece stay beside the index that it is given', () => {
    const first = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '' } }
    const next = { id: null, type: null, function: { name: null, arguments: '{}' } }
    expect(streamed({ calls: [first] }, { calls: [next] })).toEqual([[first], [{ index: 0, ...next }]])
  })

  test('nulls of later pieces stay, but for strict readers', () => {
    const first = { index: 0, id: 't', type: 'function', function: { name: 'f', arguments: null } }
    const next = { index: 0, id: null, type: null, function: { name: null, arguments: '{}' } }
    const last = { index: 0, id: null, function: null }
    const calls = [first, next, last]
    expect(streamed(...calls.map((call) => ({ calls: [call] })))).toEqual(calls.map((call) => [call]))
    const events = calls.map((call) => ({ id: 'c', choices: [{ index: 0, delta: { tool_calls: [call] } }] }))
    expect(stamped(...events).flatMap(({ choices }) => choices[0].delta.tool_calls)).toEqual([
      { index: 0, id: 't', type: 'function', function: { name: 'f' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 0, function: {} },
    ])
  })
})

test('in a plain answer a call needs an id and a type, and no index', () => {
  const calls = [{ function: { name: 'f', arguments: '{}' } }, { id: 't', type: 'function', function: { name: 'g' } }]
  const body = { id: 'c', model: 'x', choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] }
  const reply = openai.readReply(Buffer.from(JSON.stringify(body)), VIEW)
  const said = reply.kind === 'answer' ? JSON.parse(Buffer.from(reply.body).toString()) : reply
  expect(said.choices[0].message.tool_calls).toEqual([
    { id: 'call_c_0_0', type: 'function', function: { name: 'f', arguments: '{}' } },
    calls[1],
  ])
  expect(said.model).toBe('m')
})

test('arguments that are JSON themselves become the text that they are, digit for digit', () => {
  const body = (args: string): string =>
    `{"choices":[{"message":{"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${args}}}]},"finish_reason":"stop"}]}`
  const reply = openai.readReply(Buffer.from(body('{"a": 12345678901234567890}')), VIEW)
  expect(reply.kind === 'answer' && Buffer.from(reply.body).toString()).toBe(body('"{\\"a\\":12345678901234567890}"'))
  expect(
    streamed({ calls: [{ index: 0, id: 't', type: 'function', function: { name: 'f', arguments: {} } }] }),
  ).toEqual([[{ index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }]])
})
