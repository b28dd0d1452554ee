import { expect, test } from 'bun:test'
import { type GatewaySpec, startGateway } from '../support/gateway.ts'
import { gate, hang, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, errorOf, recordOf, settlementOf, streamChat } from '../support/wire-chat.ts'

const HEARTBEAT = ': heartbeat\n\n'
const yaml = (more: NonNullable<GatewaySpec['yaml']> = {}) => ({ routing: { heartbeat_after_ms: 30 }, ...more })

test('before the first content: the head goes out with a comment, and the answer follows', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: yaml() })
  provider.script(sse(role(), gate('thinking'), text('Hello'), finish(), usage(10, 5), done()))
  const answer = streamChat(gateway)
  await answer.until(`${HEARTBEAT}${HEARTBEAT}`)
  const head = await answer.head()
  expect([head.status, head.header('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect(head.header('server-timing')).toMatch(/^gw;dur=\d+\.\d\d, gw-recv;.*, total;desc="open"$/)
  expect(head.header('x-accel-buffering')).toBe('no')
  provider.release('thinking')
  expect(await answer.text()).toContain('Hello')
  expect(answer.events.at(-1)?.data).toBe('[DONE]')
  expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 90_000, reason: 'completed' })
  expect((await recordOf(gateway, head)).timing.upstream_us).toBeGreaterThan(0)
})

test('between events too', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: yaml() })
  provider.script(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until('Hel')
  await answer.until(HEARTBEAT)
  provider.release('half')
  expect(await answer.text()).toContain('"lo"')
})

test('after one the next backend may still serve', async () => {
  await using bad = await scriptedProvider()
  await using good = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider: bad }, { provider: good }] }, yaml: yaml() })
  bad.script(script(gate('thinking'), status(500)))
  good.script(sse(role(), text('fine'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until(HEARTBEAT)
  bad.release('thinking')
  expect(await answer.text()).toContain('fine')
  expect(await settlementOf(gateway)).toMatchObject({ backend: 'b1' })
})

test('the final failure is then an event, with code and retry_after, and no [DONE]', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: yaml() })
  provider.script(script(gate('thinking'), status(429, {}, { 'retry-after': '7' })))
  const answer = streamChat(gateway)
  await answer.until(HEARTBEAT)
  provider.release('thinking')
  expect(await answer.text()).not.toContain('[DONE]')
  expect(answer.events).toHaveLength(1)
  expect(JSON.parse(answer.events[0]?.data ?? '{}').error).toMatchObject({
    code: 'rate_limit_exceeded',
    retry_after: 7,
    attempts: [{ backend: 'b0', outcome: 'throttled' }],
  })
  expect(await answer.ended()).toBe('complete')
  expect(await settlementOf(gateway)).toMatchObject({ end: 'voided', charged_nano: 0 })
})

test('a client that leaves then: the provider is hung up on, its prompt is charged', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: yaml() })
  provider.script(sse(role(), hang()))
  const answer = streamChat(gateway)
  await answer.until(HEARTBEAT)
  answer.hangUp()
  await provider.peerClosed()
  expect(await settlementOf(gateway)).toMatchObject({ end: 'settled', reason: 'client_gone', usage: { output: 0 } })
})

test('its final times come as a comment, where the setting says so', async () => {
  await using provider = await scriptedProvider()
  const replies = { timing_comment: true }
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: yaml({ replies }) })
  provider.script(sse(role(), gate('thinking'), text('Hello'), finish(), done()))
  const answer = streamChat(gateway)
  await answer.until(HEARTBEAT)
  provider.release('thinking')
  expect(await answer.text()).toMatch(/: server-timing gw;dur=.*, upstream-1;dur=[^\n]*, total;dur=\d+\.\d\d\n\n$/)
})

test.each([
  ['a stream, where 0 says never', 0, streamChat],
  ['a plain answer', 30, chat],
] as const)('%s gets none: what fails later still has its status', async (_what, afterMs, ask) => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { total_ms: 200 } }] },
    yaml: { routing: { heartbeat_after_ms: afterMs } },
  })
  provider.script(hang())
  expect(await errorOf(ask(gateway))).toMatchObject({ status: 504, code: 'provider_timeout' })
})
