import { describe, expect, test } from 'bun:test'
import { openai } from '../../../../src/dialects/openai/openai.ts'
import { streamOf } from '../../../../src/dialects/openai/stream-of.ts'

const COMMON = { id: 'c1', created: 1, model: 'their-model' }
const answer = (choice: object, more: object = {}) => ({
  ...COMMON,
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', ...choice }],
  ...more,
})

/** The data of each event. */
function eventsOf(whole: object): Record<string, unknown>[] {
  const text = Buffer.from(streamOf(Buffer.from(JSON.stringify(whole)), 'chat.completions')).toString()
  const events = text.split('\n\n')
  expect(events.splice(-2)).toEqual(['data: [DONE]', ''])
  return events.map((event) => JSON.parse(event.replace(/^data: /, '')))
}

const deltasOf = (whole: object) => eventsOf(whole).map(({ choices }) => (choices as { delta: object }[])[0]?.delta)

describe('an answer as a stream', () => {
  test('the role, the text, the end, the usage', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const common = { object: 'chat.completion.chunk', ...COMMON }
    expect(eventsOf(answer({ message: { role: 'assistant', content: 'Hello' } }, { usage }))).toEqual([
      { ...common, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { ...common, choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
      { ...common, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...common, choices: [], usage },
    ])
  })

  test('a role that is null is the usual one; numbers stay digit for digit', () => {
    const whole =
      '{"choices":[{"index":0,"message":{"role":null,"content":"a"},"seed":16183438542816233001,"finish_reason":"stop"}]}'
    const [first = ''] = Buffer.from(streamOf(Buffer.from(whole), 'chat.completions'))
      .toString()
      .split('\n')
    expect(first).toContain('"delta":{"role":"assistant","content":""}')
    expect(first).toContain('"seed":16183438542816233001')
  })

  test('an end whose reason is no text has the usual one', () => {
    expect(eventsOf(answer({ message: {}, finish_reason: true })).at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
    })
  })

  test('tool calls: index, id, type and name first, then the arguments', () => {
    const calls = [
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'call_2', function: { name: 'g', arguments: { b: 2 } } },
      { id: 'call_3', type: 'custom', custom: { name: 'h', input: 'x' } },
    ]
    const whole = answer({ message: { content: null, tool_calls: calls }, finish_reason: 'tool_calls' })
    expect(deltasOf(whole).slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
      { tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{"b":2}' } }] },
      { tool_calls: [{ index: 2, id: 'call_3', type: 'custom', custom: { name: 'h', input: 'x' } }] },
    ])
  })

  test('reasoning comes before the text; nulls and empty lists are left out', () => {
    const message = { content: 'Hi', refusal: null, annotations: [], reasoning: 'think', audio: null }
    expect(deltasOf(answer({ message, logprobs: null }, { system_fingerprint: null }))).toEqual([
      { role: 'assistant', content: '' },
      { reasoning: 'think' },
      { content: 'Hi' },
      {},
    ])
  })

  test('several choices, each with its own end', () => {
    const choices = ['a', 'b'].map((content) => ({ message: { content }, finish_reason: 'length' }))
    const found = eventsOf({ ...COMMON, choices }).map(({ choices }) => {
      const [only] = choices as { index: number; finish_reason: string | null }[]
      return [only?.index, only?.finish_reason]
    })
    expect(found).toEqual([
      [0, null],
      [0, null],
      [0, 'length'],
      [1, null],
      [1, null],
      [1, 'length'],
    ])
  })

  test('what else stands in it is said once, in the first event', () => {
    const events = eventsOf(
      answer({ message: { content: 'Hi' }, extra: 5 }, { citations: ['u'], service_tier: 'flex' }),
    )
    expect(events[0]).toMatchObject({ citations: ['u'], service_tier: 'flex', choices: [{ extra: 5 }] })
    expect(events[1]).toMatchObject({ service_tier: 'flex' })
    expect(events.slice(1).some((event) => 'citations' in event)).toBe(false)
  })

  test.each([
    [{ message: { content: 'Hi' }, finish_reason: null }, 'stop'],
    [
      { message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '' } }] }, finish_reason: null },
      'tool_calls',
    ],
  ])('a missing finish_reason is supplied: the answer is whole (%#)', (choice, reason) => {
    expect(eventsOf(answer(choice)).at(-1)).toMatchObject({ choices: [{ finish_reason: reason }] })
  })

  test('a long text leaves in pieces, none of which ends within a character', () => {
    const content = `x${'😀'.repeat(200_000)}`
    const pieces = deltasOf(answer({ message: { content } })).flatMap(
      (delta) => (delta as { content?: string }).content ?? [],
    )
    expect(pieces.length).toBeGreaterThan(4)
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    expect(pieces.join('')).toBe(content)
  })

  test('is read like any other stream of this dialect', () => {
    const reply = openai.openStream({ operation: 'chat.completions', model: 'm1', showUsage: false })
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const events = reply.push(
      streamOf(Buffer.from(JSON.stringify(answer({ message: { content: 'Hi' } }, { usage }))), 'chat.completions'),
    )
    expect(events.map(({ kind }) => kind)).toEqual(['silent', 'content', 'content', 'withheld', 'silent'])
    expect([reply.finished, reply.closed, reply.textBytes]).toEqual([true, true, 2])
    expect(Buffer.concat(events.map(({ bytes }) => bytes)).toString()).not.toContain('their-model')
  })
})
