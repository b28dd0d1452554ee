import { expect, test } from 'bun:test'
import { json } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const COUNT = json(200, { object: 'response.input_tokens', input_tokens: 11 })

test.each(['/v1', '/api/v1'])('%s: a count comes as it is, and nobody pays for it', async (prefix) => {
  await using world = await operationWorld({}, COUNT)
  const answer = operate(world.gateway, `${prefix}/responses/input_tokens`, { model: 'm1', input: 'hi' })
  expect(await answer.json()).toEqual({ object: 'response.input_tokens', input_tokens: 11 })
  expect((await world.provider.arrived()).target).toBe('/v1/responses/input_tokens')
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_usd: '0.00' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('what is no count is told as a failure', async () => {
  await using world = await operationWorld({}, json(200, { object: 'list' }))
  const answer = operate(world.gateway, '/v1/responses/input_tokens', { model: 'm1', input: 'hi' })
  expect(await errorOf(answer)).toMatchObject({ status: 502, code: 'provider_failed' })
})
