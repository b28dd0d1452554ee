import { describe, expect, test } from 'bun:test'
import { money, NO_LIMITS, NO_USAGE, type Usage } from '../../../src/domain/index.ts'
import { admit, admitRequest } from '../../../src/pipeline/admit.ts'
import { settle, settleWithHold } from '../../../src/pipeline/settle.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble, MODEL } from '../../support/house.ts'
import { callAt, candidatesOf, preparedOf, settlementOf } from './support.ts'

const REPORTED: Usage = { ...NO_USAGE, input: 7, output: 3 }

async function held(promptBytes = 30, isOnDisk = true) {
  const world = createHouseDouble()
  const { call } = callAt(world)
  const key = { id: 'key_test', accountId: ACCOUNT, name: 'k', prefix: 'sk', ...NO_LIMITS, revoked: false, version: 1 }
  await admit(world.house, { key })
  const bounded = { ...key, limits: { requestsPerMinute: null, tokensPerMinute: 1000, concurrency: null } }
  await admit(world.house, { key: bounded })
  admitRequest(world.house, call, bounded)
  call.admission?.takeTokens(600, 600)
  const tokensLeft = () => call.admission?.rates().tokens?.remaining
  const [candidate] = candidatesOf(world)
  if (candidate === undefined) throw new Error('no candidate')
  const { covered } = candidate
  const hold = {
    requestId: call.requestId,
    accountId: ACCOUNT,
    keyId: 'key_test',
    amount: money(1_000_000),
    covers: [covered],
  }
  if (!isOnDisk) world.store.disk.holdBack()
  world.house.ledger.hold(hold)
  const prepared = preparedOf({ messages: [{ role: 'user', content: 'x'.repeat(promptBytes) }] })
  const served = (usage: Usage | null, textBytes = 0) =>
    settle(world.house, call, prepared, null, { kind: 'served', reason: 'completed', covered, usage, textBytes })
  const voided = () => settle(world.house, call, prepared, null, { kind: 'voided', reason: 'no_answer' })
  const together = (usage: Usage) =>
    settleWithHold(world.house, call, prepared, { kind: 'served', reason: 'completed', covered, usage, textBytes: 0 })
  return { world, call, covered, served, voided, together, tokensLeft }
}

describe('settle', () => {
  test('reported usage is what counts', async () => {
    const { world, served } = await held()
    expect(served(REPORTED, 999_999).charged).toBe(money(7 * 1000 + 3 * 4000))
    expect(await settlementOf(world)).toMatchObject({ end: 'settled', usage: REPORTED, usageSource: 'reported' })
  })

  test('without it, the prompt as it was estimated and the delivered text, marked so', async () => {
    const { world, covered, served } = await held()
    expect(served(null, 31).charged).toBe(money(covered.promptUnits * 1000 + 11 * 4000))
    expect(await settlementOf(world)).toMatchObject({ usageSource: 'estimate', usage: { input: 10, output: 11 } })
  })

  test('a void costs nothing', async () => {
    const { world, voided } = await held()
    expect(voided()).toMatchObject({ cost: 0, charged: 0 })
    expect(await settlementOf(world)).toMatchObject({
      end: 'voided',
      reason: 'no_answer',
      covered: null,
      usage: NO_USAGE,
    })
    expect(world.funds()).toMatchObject({ held: 0, balance: 1_000_000_000 })
  })

  test('once: a second ending changes nothing and answers the first', async () => {
    const { world, served, voided } = await held()
    const first = served(REPORTED)
    expect(voided()).toEqual(first)
    expect(await settlementOf(world)).toMatchObject({ end: 'settled' })
  })

  test('teaches bytes per token from what was reported, and from nothing else', async () => {
    const estimated = await held(6000)
    estimated.served(null, 3000)
    expect(estimated.world.house.bytesPerToken.of(estimated.covered.offer)).toBe(3)
    const reported = await held(6000)
    reported.served({ ...NO_USAGE, input: 3000, output: 1 })
    expect(reported.world.house.bytesPerToken.of(reported.covered.offer)).toBeLessThan(3)
  })

  test("corrects the key's tokens per minute by what was used, once; a void used none", async () => {
    const answered = await held()
    expect(answered.tokensLeft()).toBe(400)
    answered.served({ ...NO_USAGE, input: 5, cachedInput: 10, output: 20, reasoning: 7 })
    expect(answered.tokensLeft()).toBe(1000 - 42)
    answered.voided()
    expect(answered.tokensLeft()).toBe(1000 - 42)
    const nothing = await held()
    nothing.voided()
    expect(nothing.tokensLeft()).toBe(1000)
  })

  test('together with its hold it teaches and corrects the same; refused, nothing', async () => {
    const { world, covered, together, tokensLeft } = await held(6000, false)
    const usage = { ...NO_USAGE, input: 200, output: 1 }
    expect(together(usage)).not.toBeNull()
    world.store.disk.letGo()
    expect(tokensLeft()).toBe(1000 - 201)
    expect(world.house.bytesPerToken.of(covered.offer)).toBeGreaterThan(3)
    const written = await held(6000)
    await settleMicrotasks()
    expect(written.together(usage)).toBeNull()
    expect(written.tokensLeft()).toBe(400)
  })

  test('what the provider has in its cache is noted of the session', async () => {
    const { world, call, served } = await held()
    const { sessions } = world.house.health
    sessions.served({ accountId: ACCOUNT, session: 's', model: MODEL }, 'north')
    Object.assign(call, { accountId: ACCOUNT, session: { id: 's', places: sessions.of(ACCOUNT, 's') } })
    served({ ...NO_USAGE, input: 100, cachedInput: 900 })
    expect(sessions.of(ACCOUNT, 's').get(MODEL)?.cachedTokens).toBe(1000)
  })
})
