import { expect, test } from 'bun:test'
import { startGateway } from '../support/gateway.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, eventually, keyWith } from '../support/wire-chat.ts'

test('a kill opens no new minute and no new budget: what was answered is counted', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const rated = await keyWith(gateway, { requests_per_minute: 5 })
  // For three requests of 0.000172 each, and not four.
  const budgeted = await keyWith(gateway, { budget_total_usd: '0.0006' })
  provider.script(completion('ok', 3, 16))
  const ask = ({ headers }: typeof rated) => chat(gateway, {}, headers).status()
  for (let time = 1; time <= 3; time++) {
    expect(await ask(rated)).toBe(200)
    await gateway.killAndRestart()
  }
  expect([await ask(rated), await ask(rated), await ask(rated)]).toEqual([200, 200, 429])
  expect([await ask(budgeted), await ask(budgeted), await ask(budgeted)]).toEqual([200, 200, 200])
  await eventually(async () => {
    const { body } = await gateway.admin('GET', '/ledger/settlements')
    return body.data.length === 8 || undefined
  })
  await gateway.killAndRestart()
  expect(await ask(budgeted)).toBe(402)
  expect((await gateway.admin('POST', '/ledger/verify')).body).toMatchObject({ clean: true, faults: [] })
}, 60_000)
