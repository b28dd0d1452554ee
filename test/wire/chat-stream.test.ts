import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { gate, hang, reset } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, role, sse, text, toolCall, usage } from '../support/sse.ts'
import { balanceOf, settlementOf, streamChat, timingOf } from '../support/wire-chat.ts'

const HALVES = sse(role(), text('Hel'), gate('half'), text('lo'), finish(), usage(10, 5), done())

test('a stream is passed on as it comes, under our name of the model', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(HALVES)
  const answer = streamChat(gateway)
  const head = await answer.head()
  expect(head.header('content-type')).toContain('text/event-stream')
  expect(timingOf(head).has('upstream-1')).toBe(true)
  await answer.until('Hel')
  expect(answer.textSoFar).not.toContain('"lo"')
  provider.release('half')
  const whole = await answer.text()
  expect(whole).toContain('"content":"lo"')
  expect(whole).not.toContain('provider-model-2026')
  expect(answer.events.at(-1)?.data).toBe('[DONE]')
  expect(answer.events.every(({ data }) => data === '[DONE]' || JSON.parse(data).model === 'm1')).toBe(true)
})

test('usage is asked from the provider always, and shown only to who asked', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hi'), finish(), usage(10, 5), done()))
  const quiet = await streamChat(gateway).text()
  expect(quiet).not.toContain('"usage"')
  const shown = await streamChat(gateway, { stream_options: { include_usage: true } }).text()
  expect(shown).toContain('"usage":{"prompt_tokens":10')
  for (const request of provider.requests)
    expect(request.json()).toMatchObject({ stream_options: { include_usage: true } })
  expect(await balanceOf(gateway)).toBe(1_000_000_000 - 2 * 90_000)
})

test('other members of stream_options are kept', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hi'), finish(), done()))
  await streamChat(gateway, { stream_options: { include_obfuscation: false, include_usage: false } }).text()
  expect((await provider.arrived()).json()).toMatchObject({
    stream_options: { include_obfuscation: false, include_usage: true },
  })
})

test('a stream without [DONE] gets one; without usage it is charged by what was delivered, marked as an estimate', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('x'.repeat(300)), finish()))
  const answer = streamChat(gateway, { max_tokens: 1000 })
  await answer.text()
  expect(answer.events.filter(({ data }) => data === '[DONE]').length).toBe(1)
  expect(await settlementOf(gateway)).toMatchObject({ usage_source: 'estimate', usage: { output: 100 } })
})

test('tool calls pass untouched', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    sse(
      role(),
      toolCall({ id: 'call_1', name: 'f', arguments: '{"a":' }),
      toolCall({ arguments: '1}' }),
      finish('tool_calls'),
      usage(4, 4),
      done(),
    ),
  )
  const answer = streamChat(gateway)
  await answer.text()
  const pieces = answer.events
    .filter(({ data }) => data !== '[DONE]')
    .flatMap(({ data }) => JSON.parse(data).choices[0]?.delta?.tool_calls ?? [])
  expect(pieces.map((piece: { function: { arguments: string } }) => piece.function.arguments).join('')).toBe('{"a":1}')
})

test('a stream that ends without a finish_reason is no success: an error event, no [DONE], and what came is charged', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hel')))
  const answer = streamChat(gateway)
  await answer.text()
  expect(JSON.parse(answer.events.at(-1)?.data ?? '{}').error).toMatchObject({ code: 'stream_broken' })
  expect(await settlementOf(gateway)).toMatchObject({ end: 'settled', reason: 'provider_broken' })
})

test.each([
  ['hangs', hang()],
  ['is cut', reset()],
] as const)('behind [DONE] nothing is missing: a body that %s there is no error', async (_, last) => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hi'), finish(), usage(10, 5), done(), last))
  const answer = streamChat(gateway)
  expect(await answer.text()).toEndWith('data: [DONE]\n\n')
  expect(await settlementOf(gateway)).toMatchObject({ reason: 'completed', usage_source: 'reported' })
  expect(gateway.logs()).not.toContain('stream_broken')
})
