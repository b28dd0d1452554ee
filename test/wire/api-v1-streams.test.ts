import { expect, test } from 'bun:test'
import { gate, reset } from '../support/script.ts'
import { done, event, finish, role, sse, text, toolCall, usage } from '../support/sse.ts'
import { apiStream, apiWorld, chunksOf, PROVIDER } from '../support/wire-api-v1.ts'
import { balanceOf, settlementOf } from '../support/wire-chat.ts'

const WHOLE = [role(), text('Hel'), text('lo'), finish(), usage(10, 5), done()]

test('bears the same marks in every event, and its usage once, before [DONE], asked for or not', async () => {
  await using made = await apiWorld(sse(...WHOLE))
  for (const fields of [{}, { stream_options: { include_usage: true } }]) {
    const answer = apiStream(made.gateway, fields)
    const head = await answer.head()
    const chunks = await chunksOf(answer)
    const id = head.header('x-generation-id')
    expect(id).toMatch(/^gen-/)
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        id,
        object: 'chat.completion.chunk',
        created: expect.any(Number),
        model: 'm1',
        provider: PROVIDER,
      })
    expect(chunks.flatMap(({ choices }) => choices[0].delta.content ?? []).join('')).toBe('Hello')
    expect(chunks.filter(({ usage: told }) => told !== undefined)).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00009, is_byok: false },
    })
    expect(answer.events.at(-1)?.data).toBe('[DONE]')
  }
  expect(await balanceOf(made.gateway)).toBe(1_000_000_000 - 2 * 90_000)
})

test('arrives as it is made', async () => {
  await using made = await apiWorld(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), usage(10, 5), done()))
  const answer = apiStream(made.gateway)
  await answer.until('"Hel"')
  expect(answer.textSoFar).not.toContain('"lo"')
  made.provider.release('half')
  expect(await answer.text()).toContain('"lo"')
})

test('usage beside text, in every event, or only null in it, is told once all the same', async () => {
  const counted = (value: unknown, content: string, total: unknown, reason: string | null = null) =>
    event({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: reason }], usage: total, value })
  const part = (n: number) => ({ prompt_tokens: 10, completion_tokens: n, total_tokens: 10 + n })
  await using made = await apiWorld(
    sse(counted(1, 'a', part(1)), counted(2, 'b', part(2)), counted(3, 'c', part(5), 'stop'), done()),
    sse(counted(1, 'a', null), counted(2, 'b', null, 'stop'), usage(10, 5), done()),
  )
  for (let n = 0; n < 2; n++) {
    const chunks = await chunksOf(apiStream(made.gateway))
    expect(chunks.map(({ usage: told }) => told?.completion_tokens)).toEqual([
      ...chunks.slice(1).map(() => undefined),
      5,
    ])
  }
})

test('without usage and without [DONE] gets both, as they are billed', async () => {
  await using made = await apiWorld(sse(role(), text('x'.repeat(300)), finish()))
  const answer = apiStream(made.gateway, { max_tokens: 1000 })
  const chunks = await chunksOf(answer)
  expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 100 } })
  expect(answer.events.filter(({ data }) => data === '[DONE]').length).toBe(1)
  const settlement = await settlementOf(made.gateway)
  expect(settlement).toMatchObject({ usage_source: 'estimate', usage: { output: 100 } })
  expect(chunks.at(-1).usage.cost * 1e9).toBeCloseTo(Number(settlement.charged_nano), 3)
})

test('no null where strict readers take none; tool calls pass', async () => {
  const nulls = { role: null, tool_calls: null, audio: null, content: 'a' }
  await using made = await apiWorld(
    sse(
      event({
        model: 'x',
        system_fingerprint: null,
        usage: null,
        choices: [{ index: 0, delta: nulls, finish_reason: '' }],
      }),
      event({ model: 'x', choices: [{ delta: null }] }),
      toolCall({ id: 'call_1', name: 'f', arguments: '{"a":' }),
      toolCall({ arguments: '1}' }),
      finish('tool_calls'),
      usage(4, 4),
      done(),
    ),
  )
  const answer = apiStream(made.gateway)
  const chunks = await chunksOf(answer)
  expect(chunks.slice(0, 2).map(({ choices }) => choices)).toEqual([
    [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason: null }],
  ])
  expect(answer.textSoFar).not.toMatch(/"(usage|system_fingerprint|role|tool_calls|audio|delta)":null/)
  const pieces = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? [])
  expect(pieces.map((piece) => piece.function.arguments).join('')).toBe('{"a":1}')
})

test.each([
  ['is cut', reset()],
  ['says an error', event({ error: { message: 'overloaded', code: 'overloaded' } })],
] as const)('that breaks ends with a chunk that says so, and nothing after it: it %s', async (_name, part) => {
  await using made = await apiWorld(sse(role(), text('Hel'), part))
  const answer = apiStream(made.gateway)
  const chunks = await chunksOf(answer)
  expect(answer.textSoFar).not.toContain('[DONE]')
  expect(chunks.at(-1)).toEqual({
    id: (await answer.head()).header('x-generation-id'),
    object: 'chat.completion.chunk',
    created: expect.any(Number),
    model: 'm1',
    provider: PROVIDER,
    error: {
      code: 502,
      message: expect.any(String),
      metadata: { error_type: 'provider_unavailable', code: 'stream_broken' },
    },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
  })
  expect(await settlementOf(made.gateway)).toMatchObject({ reason: 'provider_broken' })
})
