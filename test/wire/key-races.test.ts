import { expect, test } from 'bun:test'
import { CROWD_HELD_NANO, crowd } from '../support/crowd.ts'
import { startGateway } from '../support/gateway.ts'
import { gate, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { eventually, keyWith } from '../support/wire-chat.ts'

const CROWD_MS_MAX = 60_000
const WIDE = { agents: { slots: 600 } }

test(
  '500 at once on 100 requests per minute: exactly 100 are sent, and a restart begins no new minute',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: WIDE })
    const { headers } = await keyWith(gateway, { requests_per_minute: 100 })
    provider.script(completion('ok', 1, 1))
    expect(await crowd(gateway, headers, 500)).toEqual({ 200: 100, 429: 400 })
    await gateway.restart()
    expect(await crowd(gateway, headers, 20)).toEqual({ 429: 20 })
    expect(provider.requests).toHaveLength(100)
  },
  CROWD_MS_MAX,
)

test(
  '500 at once on a budget for 10 of them: exactly 10 are sent while none has ended, and a restart forgets nothing',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: WIDE })
    const budget = (10 * CROWD_HELD_NANO + 1) / 1_000_000_000
    const { id, headers } = await keyWith(gateway, { budget_total_usd: budget.toFixed(9) })
    provider.script(script(gate('answer'), completion('ok', 3, 16)))
    const all = crowd(gateway, headers, 500)
    await provider.reached('answer', 10)
    await eventually(async () => gateway.logs().split('key_budget_exceeded').length > 490 || undefined)
    provider.release('answer')
    expect(await all).toEqual({ 200: 10, 402: 490 })
    await gateway.restart()
    expect(await crowd(gateway, headers, 5)).toEqual({ 402: 5 })
    expect(provider.requests).toHaveLength(10)
    const { body } = await gateway.admin('GET', `/keys/${id}`)
    expect(body).toMatchObject({ spent_total_nano: 10 * CROWD_HELD_NANO })
  },
  CROWD_MS_MAX,
)

test(
  '500 at once on 7 at a time: exactly 7 are sent while none has ended, and 7 again after that',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, yaml: WIDE })
    const { headers } = await keyWith(gateway, { concurrency: 7 })
    for (let round = 1; round <= 2; round++) {
      provider.script(script(gate(`round ${round}`), completion('ok', 1, 1)))
      const all = crowd(gateway, headers, 500)
      await provider.reached(`round ${round}`, 7)
      await eventually(async () => gateway.logs().split('rate_limit_exceeded').length > 493 * round || undefined)
      provider.release(`round ${round}`)
      expect(await all).toEqual({ 200: 7, 429: 493 })
    }
  },
  CROWD_MS_MAX,
)
