import { expect, test } from 'bun:test'
import { CROWD_HELD_NANO, crowd } from '../support/crowd.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { gate, script } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { balanceOf, eventually, keyWith } from '../support/wire-chat.ts'

const CROWD = 1000
const WIDE = { agents: { slots: 1000 } }
const CROWD_MS_MAX = 60_000

test(
  '1,000 at once on a balance for 10, of an account that nobody has asked for yet: exactly 10 reach the provider, which answers when all are decided',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({
      offers: { m1: [{ provider }] },
      balanceUsd: ((10 * CROWD_HELD_NANO) / 1e9).toFixed(9),
      yaml: WIDE,
    })
    provider.script(script(gate('decided'), completion('ok', 3, 16)))
    const all = crowd(gateway, bearer(gateway), CROWD)
    await provider.reached('decided', 10)
    await eventually(async () => gateway.logs().split('insufficient_credits').length > CROWD - 10 || undefined)
    expect(provider.requests).toHaveLength(10)
    provider.release('decided')
    expect(await all).toEqual({ 200: 10, 402: CROWD - 10 })
    expect(provider.requests).toHaveLength(10)
    expect(await balanceOf(gateway)).toBe(0)
  },
  CROWD_MS_MAX,
)

test(
  'the same on a budget of a key, whose account has no bound',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: null, yaml: WIDE })
    const { headers } = await keyWith(gateway, { budget_day_usd: ((10 * CROWD_HELD_NANO) / 1e9).toFixed(9) })
    provider.script(script(gate('decided'), completion('ok', 3, 16)))
    const all = crowd(gateway, headers, CROWD)
    await provider.reached('decided', 10)
    await eventually(async () => gateway.logs().split('key_budget_exceeded').length > CROWD - 10 || undefined)
    provider.release('decided')
    expect(await all).toEqual({ 200: 10, 402: CROWD - 10 })
    expect(provider.requests).toHaveLength(10)
    expect(await balanceOf(gateway)).toBe(-10 * CROWD_HELD_NANO)
  },
  CROWD_MS_MAX,
)

test(
  'credits that come while others are spent: the sum of all is kept, to the nano-dollar',
  async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] }, balanceUsd: '0.01', yaml: WIDE })
    provider.script(completion('ok', 3, 16))
    const adds = Array.from({ length: 40 }, async (_, at) => {
      const amount = ((at + 1) / 1e9).toFixed(9)
      const { status } = await gateway.admin('POST', '/credits', { account: gateway.account, usd: amount })
      return status < 300 ? at + 1 : 0
    })
    const [spent, added] = await Promise.all([crowd(gateway, bearer(gateway), 200), Promise.all(adds)])
    const sum = added.reduce((total, nano) => total + nano, 0)
    expect(sum).toBe((40 * 41) / 2)
    const served = spent[200] ?? 0
    expect(served).toBeGreaterThan(0)
    expect(await balanceOf(gateway)).toBe(10_000_000 + sum - served * CROWD_HELD_NANO)
  },
  CROWD_MS_MAX,
)
