import { describe, expect, test } from 'bun:test'
import {
  ask,
  errorBody,
  errorEvent,
  messageStop,
  messagesWorld,
  SPEAKS,
  said,
  start,
  stopped,
  textBlock,
  worldWith,
} from '../support/anthropic.ts'
import { startGateway } from '../support/gateway.ts'
import { close, gate, html, reset, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { sse } from '../support/sse.ts'

describe('a stream that fails', () => {
  test.each([
    ['overloaded', sse(start(), errorEvent('overloaded_error', 'Overloaded'))],
    ['a page', html()],
    ['an end without content', sse(start(), textBlock())],
    ['events of another dialect', sse({ send: 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' })],
  ])('before any content another backend answers: %s', async (_what, broken) => {
    await using first = await scriptedProvider()
    await using second = await scriptedProvider()
    await using gateway = await startGateway({
      offers: {
        m1: [
          { provider: first, backend: SPEAKS },
          { provider: second, backend: SPEAKS },
        ],
      },
    })
    first.script(broken)
    second.script(sse(start(), textBlock(), said('second'), stopped(3), messageStop()))
    const answer = ask(gateway, { stream: true })
    expect(await answer.text()).toContain('second')
    expect(answer.events[0]?.type).toBe('message_start')
    expect(answer.events.filter(({ type }) => type === 'message_start').length).toBe(1)
  })

  test.each([
    ['its own error', [errorEvent('api_error', 'Internal server error'), messageStop()]],
    ['an end without message_stop', [stopped(3)]],
    ['a cut', [close()]],
    ['a reset', [gate('read'), reset()]],
  ])('after content end in an error event, and nothing follows: %s', async (_what, steps) => {
    await using world = await messagesWorld(sse(start(), textBlock(), said('Hel'), ...steps))
    const answer = ask(world.gateway, { stream: true })
    await answer.until('Hel')
    world.provider.release('read')
    await answer.text()
    const last = answer.events.at(-1)
    expect(last?.type).toBe('error')
    expect(JSON.parse(last?.data ?? '')).toMatchObject({
      type: 'error',
      error: { type: 'api_error', code: 'stream_broken' },
      request_id: expect.stringMatching(/^req_/),
    })
    expect(answer.events.map(({ type }) => type)).not.toContain('message_stop')
  })

  test('a refusal after the head went out is an event with the time to wait', async () => {
    const late = script(gate('late'), status(429, errorBody('rate_limit_error', 'slow'), { 'retry-after': '3' }))
    await using world = await worldWith({ yaml: { routing: { heartbeat_after_ms: 20 } } }, late)
    const answer = ask(world.gateway, { stream: true })
    await answer.until(': heartbeat')
    world.provider.release('late')
    await answer.text()
    expect(answer.events.map(({ type }) => type)).toEqual(['error'])
    expect(JSON.parse(answer.events[0]?.data ?? '').error).toMatchObject({ type: 'rate_limit_error', retry_after: 3 })
  })
})
