import { expect, test } from 'bun:test'
import { bearer, type GatewaySpec, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { gate, hang } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, role, sse, text, usage } from '../support/sse.ts'
import { balanceOf, chat, HELLO, keyWith, settlementOf, streamChat } from '../support/wire-chat.ts'

// A token of the answer is 10,000 nano-dollars and, until usage teaches otherwise, 3 bytes.
const SPEC = { yaml: { money: { output_reserve_tokens: 100 } } } satisfies Partial<GatewaySpec>
const WORDS = 'abc'.repeat(30) // 30 tokens

const words = (count: number) => Array.from({ length: count }, () => text(WORDS))

test('a stream that outgrows its hold takes more of the balance, and is charged what it used', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, ...SPEC })
  provider.script(sse(role(), ...words(20), finish(), usage(10, 600), done()))
  expect(await streamChat(gateway, { max_tokens: undefined }).text()).toEndWith('data: [DONE]\n\n')
  const { charged_nano, held_nano } = await settlementOf(gateway)
  expect(charged_nano).toBe(10 * 4000 + 600 * 10_000)
  expect(Number(held_nano)).toBeGreaterThanOrEqual(6_000_000)
  expect(Number(held_nano)).toBeLessThan(9_100_000)
})

for (const { surface, path } of [
  { surface: 'openai', path: '/v1/chat/completions' },
  { surface: 'openrouter', path: '/api/v1/chat/completions' },
] as const) {
  test(`a stream that runs out of credit ends with insufficient_credits: ${surface}`, async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.0016', ...SPEC })
    provider.script(sse(role(), ...words(3), gate('more'), ...words(20), hang()))
    const json = { model: 'm1', messages: HELLO, stream: true }
    const answer = rawRequest(gateway.origin, { path, headers: bearer(gateway), json })
    await answer.until(WORDS)
    expect((await answer.head()).status).toBe(200)
    provider.release('more')
    const whole = await answer.text()
    const last = JSON.parse(answer.events.at(-1)?.data ?? '')
    expect(last.error.message).toBe('Insufficient credits for the rest of this answer.')
    expect(last.error.code).toBe(surface === 'openai' ? 'insufficient_credits' : 402)
    expect(whole).not.toContain('[DONE]')
    await provider.peerClosed()
    const settlement = await settlementOf(gateway)
    expect(settlement).toMatchObject({ end: 'settled', reason: 'credit', usage_source: 'estimate' })
    expect(settlement.charged_nano).toBeLessThanOrEqual(1_600_000)
    expect(await balanceOf(gateway)).toBe(1_600_000 - Number(settlement.charged_nano))
  })
}

test('a provider that ignores the limit it was sent is stopped when nothing is left to pay with', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.0016', ...SPEC })
  provider.script(sse(role(), ...words(3), gate('more'), ...words(20), hang()))
  const answer = streamChat(gateway, { max_tokens: 16 })
  await answer.until(WORDS)
  provider.release('more')
  expect(await answer.text()).toContain('insufficient_credits')
  await provider.peerClosed()
  const settlement = await settlementOf(gateway)
  expect(settlement).toMatchObject({ end: 'settled', reason: 'credit', usage_source: 'estimate' })
  expect(settlement.charged_nano).toBeLessThanOrEqual(1_600_000)
})

test('of an unmetered account the budget of the key bounds a stream', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: null, ...SPEC })
  const { headers } = await keyWith(gateway, { budget_day_usd: '0.0016' })
  provider.script(sse(role(), ...words(3), gate('more'), ...words(20), hang()))
  const answer = chat(gateway, { stream: true, max_tokens: undefined, n: 1 }, headers)
  await answer.until(WORDS)
  provider.release('more')
  const last = JSON.parse((await answer.text()).trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? '')
  expect(last.error).toMatchObject({ code: 'key_budget_exceeded' })
  expect(await settlementOf(gateway)).toMatchObject({ reason: 'credit' })
})
