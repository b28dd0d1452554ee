import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawClient } from '../support/raw-client.ts'
import { gate, hang, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, role, sse, text } from '../support/sse.ts'
import { balanceOf, chat, eventually, settlementOf, streamChat } from '../support/wire-chat.ts'

test('a client that leaves in mid-stream: the provider is hung up on, prompt and delivered text are charged', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('y'.repeat(30)), hang()))
  const answer = streamChat(gateway)
  await answer.until('yyy')
  answer.hangUp()
  await provider.peerClosed()
  const row = await settlementOf(gateway)
  expect(row).toMatchObject({ end: 'settled', reason: 'client_gone', usage_source: 'estimate', usage: { output: 10 } })
  expect(await balanceOf(gateway)).toBe(1_000_000_000 - Number(row.charged_nano))
})

test('a client that leaves before the answer pays for the prompt it had sent', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(script(gate('thinking'), completion('late', 1, 1)))
  const answer = chat(gateway)
  await provider.reached('thinking')
  answer.hangUp()
  await provider.peerClosed()
  const row = await settlementOf(gateway)
  expect(row).toMatchObject({ end: 'settled', reason: 'client_gone', usage: { output: 0 } })
  expect(Number(row.charged_nano)).toBeGreaterThan(0)
})

test('before_content: free charges nothing then', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider }] },
    yaml: { money: { before_content: 'free' } },
  })
  provider.script(script(gate('thinking'), completion('late', 1, 1)))
  const answer = chat(gateway)
  await provider.reached('thinking')
  answer.hangUp()
  await provider.peerClosed()
  expect(await settlementOf(gateway)).toMatchObject({ end: 'voided', charged_nano: 0 })
})

test('a client that leaves while it waits for a slot costs nothing and leaves no waiter', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider, backend: { slots: 1 } }] },
    yaml: { routing: { queue_ms: 60_000 } },
  })
  provider.script(script(gate('busy'), completion('one', 1, 1)))
  const first = chat(gateway)
  await provider.reached('busy')
  const second = chat(gateway)
  await eventually(async () => (await gateway.admin('GET', '/slots')).body.waiters || undefined)
  second.hangUp()
  expect(await settlementOf(gateway)).toMatchObject({ end: 'voided', reason: 'cancelled_unsent' })
  provider.release('busy')
  expect(await first.status()).toBe(200)
  expect(provider.requests.length).toBe(1)
})

test('a client that does not read is left after client_stall_ms, and the provider waited meanwhile', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { m1: [{ provider }] },
    yaml: { routing: { client_stall_ms: 300 } },
    balanceUsd: null,
  })
  const big = text('z'.repeat(100_000))
  provider.script(sse(role(), ...Array.from({ length: 400 }, () => big), hang()))
  await using client = rawClient(gateway.origin)
  const answer = client.send({
    path: '/v1/chat/completions',
    headers: bearer(gateway),
    json: { model: 'm1', stream: true, max_tokens: 4096, messages: [{ role: 'user', content: 'x' }] },
  })
  await answer.head()
  await client.pause()
  expect(await settlementOf(gateway)).toMatchObject({ reason: 'client_stall' })
  client.resume()
  expect(await answer.ended()).not.toBe('complete')
})
