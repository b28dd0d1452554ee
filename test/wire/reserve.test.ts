import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { gate, script, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { balanceOf, chat, errorOf, keyWith, settlementOf } from '../support/wire-chat.ts'

test('what nobody can pay is 402 before anything is sent, with both amounts', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.00001' })
  const error = await errorOf(chat(gateway, { max_tokens: 1000 }))
  expect(error).toMatchObject({ status: 402, code: 'insufficient_credits', type: 'insufficient_quota' })
  expect(error.message).toContain('$0.00001')
  expect(provider.connections).toBe(0)
})

test('a dear candidate that cannot be paid is passed over for a cheap one', async () => {
  await using dear = await scriptedProvider()
  await using cheap = await scriptedProvider()
  await using gateway = await startGateway({
    offers: {
      m1: [
        { provider: dear, price: { input: '1000', output: '1000' } },
        { provider: cheap, price: { input: '1', output: '1' } },
      ],
    },
    balanceUsd: '0.01',
  })
  cheap.script(completion('ok', 1, 1))
  expect(await chat(gateway, { max_tokens: 100 }).status()).toBe(200)
  expect(dear.connections).toBe(0)
})

test('a plain request without a limit gets the limit its account can pay', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.002' })
  provider.script(completion('ok', 5, 5))
  expect(await chat(gateway, { max_tokens: undefined }).status()).toBe(200)
  const sent = (await provider.arrived()).json() as Record<string, number>
  const limit = sent.max_tokens ?? sent.max_completion_tokens ?? 0
  expect(limit).toBeGreaterThan(150)
  expect(limit * 10_000).toBeLessThan(2_000_000)
  expect(Number((await settlementOf(gateway)).held_nano)).toBeLessThanOrEqual(2_000_000)
})

test('the hold binds what others may spend while it is open', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.011' })
  provider.script(script(gate('answer'), completion('ok', 1, 1)))
  const first = chat(gateway, { max_tokens: 1000 })
  await provider.reached('answer')
  expect(await errorOf(chat(gateway, { max_tokens: 1000 }))).toMatchObject({ status: 402 })
  provider.release('answer')
  expect(await first.status()).toBe(200)
  expect(await balanceOf(gateway)).toBe(11_000_000 - 14_000)
})

test('usage beyond the hold and the balance is the loss of the operator, never a negative balance', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.001' })
  provider.script(completion('ok', 10, 100_000))
  expect(await chat(gateway, { max_tokens: 16 }).status()).toBe(200)
  expect(await balanceOf(gateway)).toBe(0)
  expect(await settlementOf(gateway)).toMatchObject({
    charged_nano: 1_000_000,
    overrun_nano: 1_000_040_000 - 1_000_000,
  })
})

for (const { account, balanceUsd } of [
  { account: 'a prepaid', balanceUsd: '1' },
  { account: 'an unmetered', balanceUsd: null },
]) {
  test(`usage beyond the hold and the budget of the key is the loss of the operator: ${account} account`, async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd })
    const { headers } = await keyWith(gateway, { budget_day_usd: '0.001' })
    provider.script(completion('ok', 10, 100_000))
    expect(await chat(gateway, { max_tokens: 16 }, headers).status()).toBe(200)
    expect(await settlementOf(gateway)).toMatchObject({
      charged_nano: 1_000_000,
      overrun_nano: 1_000_040_000 - 1_000_000,
    })
    expect(await errorOf(chat(gateway, {}, headers))).toMatchObject({ status: 402, code: 'key_budget_exceeded' })
  })
}

test('a refusal of the provider costs nothing', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    status(422, {
      error: { message: 'bad temperature', type: 'invalid_request_error', param: 'temperature', code: 'range' },
    }),
  )
  expect(await errorOf(chat(gateway))).toMatchObject({
    status: 422,
    param: 'temperature',
    code: 'range',
    message: 'bad temperature',
  })
  expect(await balanceOf(gateway)).toBe(1_000_000_000)
})

test('a price with tiers: the whole request at those that its prompt reaches', async () => {
  await using provider = await scriptedProvider()
  const tiers = [{ from_tokens: 500, input: '8', output: '30' }]
  await using gateway = await startGateway({
    offers: { m1: [{ provider, price: { input: '4', output: '10', tiers } }] },
    balanceUsd: '1.00',
  })
  provider.script(completion('short', 499, 10), completion('long', 500, 10))
  expect(await chat(gateway).status()).toBe(200)
  expect(await chat(gateway).status()).toBe(200)
  expect(await balanceOf(gateway)).toBe(1_000_000_000 - (499 * 4000 + 10 * 10_000) - (500 * 8000 + 10 * 30_000))
})

test('a hold reckons with the tier that a long prompt may reach', async () => {
  await using provider = await scriptedProvider()
  const tiers = [{ from_tokens: 500, input: '1000', output: '1000' }]
  await using gateway = await startGateway({
    offers: { m1: [{ provider, price: { input: '1', output: '1', tiers } }] },
    balanceUsd: '0.10',
  })
  provider.script(completion('short', 5, 5))
  expect(await chat(gateway, { max_tokens: 50 }).status()).toBe(200)
  const messages = [{ role: 'user', content: 'word '.repeat(500) }]
  expect(await errorOf(chat(gateway, { max_tokens: 50, messages }))).toMatchObject({ status: 402 })
  expect(provider.requests).toHaveLength(1)
})
