import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { end, json, type Script, script, send } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, toolCall, usage } from '../support/sse.ts'
import { chat, settlementOf, streamChat } from '../support/wire-chat.ts'

const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const CALLS = json({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'theirs',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: [CALL] }, finish_reason: 'tool_calls' },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

/** The same bytes under the head of a stream, or behind something else. */
const asStream = (answer: Script, type = 'text/event-stream', before = ''): Script =>
  script(
    { status: 200, headers: { 'content-type': type } },
    send(`${before}${answer.steps.find((step) => step.send !== undefined)?.send ?? ''}`),
    end(),
  )

test.each([
  ['as JSON', completion('Hello', 10, 5)],
  ['as events', asStream(completion('Hello', 10, 5))],
  ['as JSON behind a byte order mark', asStream(completion('Hello', 10, 5), 'application/json', '\ufeff')],
])('a plain answer %s, given for a stream, becomes a stream, billed by its usage', async (_name, answered) => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(answered)
  const answer = streamChat(gateway)
  const head = await answer.head()
  expect([head.status, head.header('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect(await answer.text()).toEndWith('data: [DONE]\n\n')
  const chunks = answer.events.slice(0, -1).map(({ data }) => JSON.parse(data))
  expect(chunks.map(({ choices: [only] }) => [only.delta, only.finish_reason])).toEqual([
    [{ role: 'assistant', content: '' }, null],
    [{ content: 'Hello' }, null],
    [{}, 'stop'],
  ])
  expect(chunks.every(({ model, object }) => model === 'm1' && object === 'chat.completion.chunk')).toBe(true)
  expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 90_000, usage_source: 'reported' })
})

test('tool calls and usage too', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(CALLS)
  const answer = streamChat(gateway, { stream_options: { include_usage: true } })
  await answer.text()
  const chunks = answer.events.slice(0, -1).map(({ data }) => JSON.parse(data))
  expect(chunks.slice(1, -1).map(({ choices: [only] }) => only.delta)).toEqual([
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
    {},
  ])
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } })
})

test('a plain error given for a stream is a failed attempt', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
  bad.script(json({ error: { message: 'busy' } }))
  good.script(completion('fine', 1, 1))
  expect(await streamChat(gateway).text()).toContain('fine')
  expect(await settlementOf(gateway)).toMatchObject({ backend: 'b1' })
})

test('a stream given for a plain request becomes one answer', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    sse(
      role(),
      text('Hel'),
      text('lo'),
      toolCall({ id: 'call_1', name: 'f', arguments: '{"a":' }),
      toolCall({ arguments: '1}' }),
      finish('tool_calls'),
      usage(10, 5),
      done(),
    ),
  )
  const answer = chat(gateway)
  expect((await answer.head()).header('content-type')).toBe('application/json')
  expect(JSON.parse(await answer.text())).toMatchObject({
    object: 'chat.completion',
    model: 'm1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', tool_calls: [CALL] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { total_tokens: 15 },
  })
  expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 90_000, usage_source: 'reported' })
})

test('a stream without its end, given for a plain request, is a failed attempt', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] } })
  bad.script(sse(role(), text('Hel')))
  good.script(completion('fine', 1, 1))
  expect(await chat(gateway).text()).toContain('fine')
})
