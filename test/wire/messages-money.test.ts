import { describe, expect, test } from 'bun:test'
import {
  ask,
  blockEnd,
  message,
  messageStop,
  messagesWorld,
  said,
  start,
  stopped,
  textBlock,
  worldWith,
} from '../support/anthropic.ts'
import { gate, hang, type Step } from '../support/script.ts'
import { sse } from '../support/sse.ts'
import { balanceOf, recordOf, settlementOf } from '../support/wire-chat.ts'

const PRICE = {
  input: '3',
  cached_input: '0.3',
  cache_write: '3.75',
  cache_write_long: '6',
  output: '15',
  per_search: '0.01',
}
const CACHED = {
  input_tokens: 10,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
}
const KINDS = { input: 10, cached_input: 1000, cache_write: 100, cache_write_long: 200, output: 7, searches: 2 }
/** Nano-dollars: 10 × 3,000 + 1,000 × 300 + 100 × 3,750 + 200 × 6,000 + 7 × 15,000 + 2 × 10,000,000. */
const COST = 30_000 + 300_000 + 375_000 + 1_200_000 + 105_000 + 20_000_000

describe('cached tokens, cache writes of either length and searches are paid each by its own price', () => {
  test('of a plain answer', async () => {
    const usage = { ...CACHED, output_tokens: 7, server_tool_use: { web_search_requests: 2 } }
    await using world = await worldWith({ offer: { price: PRICE } }, message('Hi', usage))
    await ask(world.gateway).text()
    expect(await settlementOf(world.gateway)).toMatchObject({
      usage_source: 'reported',
      charged_nano: COST,
      usage: expect.objectContaining(KINDS),
    })
    expect(await balanceOf(world.gateway)).toBe(1_000_000_000 - COST)
  })

  test('of a stream, whose last word on its tokens counts', async () => {
    await using world = await worldWith(
      { offer: { price: PRICE } },
      sse(
        start(CACHED),
        textBlock(),
        said('Hi'),
        blockEnd(),
        stopped(7, 'end_turn', { server_tool_use: { web_search_requests: 2 } }),
        messageStop(),
      ),
    )
    await ask(world.gateway, { stream: true }).text()
    expect(await settlementOf(world.gateway)).toMatchObject({
      usage_source: 'reported',
      charged_nano: COST,
      usage: expect.objectContaining(KINDS),
    })
  })
})

describe('a caller who leaves in mid-stream pays for the prompt as the provider told it and for what was delivered', () => {
  const abandoned = async (...steps: readonly Step[]) => {
    await using world = await messagesWorld(sse(...steps, textBlock(), said('y'.repeat(60)), hang()))
    const answer = ask(world.gateway, { stream: true, max_tokens: 64 })
    await answer.until('yyy')
    answer.hangUp()
    await world.provider.peerClosed()
    return await settlementOf(world.gateway)
  }

  test('with the cached part of it', async () => {
    expect(await abandoned(start({ input_tokens: 10, cache_read_input_tokens: 90_000 }))).toMatchObject({
      end: 'settled',
      reason: 'client_gone',
      usage_source: 'estimate',
      usage: { input: 10, cached_input: 90_000, output: 20 },
    })
  })

  test('without a word from the provider, as it was reckoned', async () => {
    expect(await abandoned()).toMatchObject({ reason: 'client_gone', usage_source: 'estimate', usage: { output: 20 } })
  })
})

test('a stream without usage is charged by what was delivered, marked as an estimate', async () => {
  const end: Step = {
    send: 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n',
  }
  await using world = await messagesWorld(
    sse(start(), textBlock(), said('x'.repeat(300)), blockEnd(), end, messageStop()),
  )
  await ask(world.gateway, { stream: true, max_tokens: 1000 }).text()
  expect(await settlementOf(world.gateway)).toMatchObject({
    reason: 'completed',
    usage_source: 'estimate',
    usage: { input: 20, output: 100 },
  })
})

test('the hold covers max_tokens, and the record tells the operation', async () => {
  await using world = await messagesWorld(message('Hi'))
  const head = await ask(world.gateway, { max_tokens: 1000 }).head()
  const record = await recordOf(world.gateway, head)
  expect(record).toMatchObject({ operation: 'messages', status: 200, model: 'm1' })
  expect(record.settlement.held_nano).toBeGreaterThanOrEqual(1000 * 10_000)
})

test('a stream that runs out of credit ends with an error event of Anthropic’s form', async () => {
  const words = Array.from({ length: 20 }, () => said('abc'.repeat(30))) // 30 tokens of 10,000 nano-dollars each
  const money = { output_reserve_tokens: 100, output_cap_tokens: 100 }
  await using world = await worldWith(
    { balanceUsd: '0.0016', yaml: { money } },
    sse(start({ input_tokens: 1 }), textBlock(), ...words.slice(0, 3), gate('more'), ...words, hang()),
  )
  const answer = ask(world.gateway, { stream: true, max_tokens: 4000 })
  await answer.until('abcabc')
  world.provider.release('more')
  await answer.text()
  const last = answer.events.at(-1)
  expect(last?.type).toBe('error')
  expect(JSON.parse(last?.data ?? '').error).toMatchObject({ type: 'billing_error', code: 'insufficient_credits' })
  await world.provider.peerClosed()
  const settlement = await settlementOf(world.gateway)
  expect(settlement).toMatchObject({ end: 'settled', reason: 'credit', usage_source: 'estimate', usage: { input: 1 } })
  expect(settlement.charged_nano).toBeLessThanOrEqual(1_600_000)
})
