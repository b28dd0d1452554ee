import { describe, expect, test } from 'bun:test'
import { money } from '../../../../src/domain/index.ts'
import { ask } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble } from '../../../support/house.ts'
import { type Part, reset, send, status } from '../../../support/script.ts'
import { completion, done, finish, role, text, usage } from '../../../support/sse.ts'
import { SSE_HEAD } from '../dispatch/attempt-kit.ts'
import { type PublicFields, reading, recordOf, settlementOf, textOf, timingOf } from '../support.ts'

/** A stream at its commit point, with 30 bytes of text delivered. */
async function streaming(world: HouseDouble, fields: object = {}) {
  const asked = ask(world, { stream: true, ...fields })
  const exchange = await world.agent('north').next()
  exchange.play(SSE_HEAD, role(), text('y'.repeat(30)))
  const response = await asked.answer
  const body = reading(response.body)
  expect(textOf((await body.next()) ?? '')).toBe('y'.repeat(30))
  return { ...asked, exchange, response, body }
}

const errorIn = (events: string): PublicFields => {
  const [, json = '{}'] = /data: (\{"error".*\})\n\n$/.exec(events) ?? []
  return JSON.parse(json).error
}

describe('a stream', () => {
  test('is charged by its usage, which is kept from a caller who did not ask for it', async () => {
    await using world = createHouseDouble()
    const { exchange, response, body, idleLimit } = await streaming(world)
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(timingOf(response).get('upstream')).toBe(0)
    exchange.play(finish(), usage(100, 7), done(), { end: true })
    const rest = await body.rest()
    expect(rest).not.toContain('prompt_tokens')
    expect(rest).toEndWith('data: [DONE]\n\n')
    expect(await settlementOf(world)).toMatchObject({ usageSource: 'reported', charged: 100 * 1000 + 7 * 4000 })
    expect(await recordOf(world)).toMatchObject({ status: 200, errorCode: null, attempts: [{ outcome: 'succeeded' }] })
    expect(idleLimit).toEqual(['lifted', 'restored'])
  })

  test('shows usage to a caller who asked for it', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world, { stream_options: { include_usage: true } })
    exchange.play(finish(), usage(100, 7), done(), { end: true })
    expect(await body.rest()).toContain('"prompt_tokens":100')
  })

  test('without `[DONE]` gets it', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    exchange.play(finish(), { end: true })
    expect(await body.rest()).toEndWith('data: [DONE]\n\n')
    expect(await settlementOf(world)).toMatchObject({ reason: 'completed', usageSource: 'estimate' })
  })

  test('goes on record with the time of its end', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    world.clock.advance(70)
    exchange.play(finish(), done(), { end: true })
    await body.rest()
    const { timing, attempts } = await recordOf(world)
    expect([timing.totalUs, timing.endedUs, attempts[0]?.endedUs]).toEqual([0, 70_000, 70_000])
  })

  const breaks: [name: string, steps: Part[], reason: string][] = [
    ['cut by the provider', [reset()], 'reset'],
    ['ended without a finish_reason', [{ end: true }], 'ended_early'],
    ['ended with `[DONE]`, but without a finish_reason', [done(), { end: true }], 'ended_early'],
    ['with an error among its events', [send('data: {"error":{"message":"inner words"}}\n\n')], 'error_in_answer'],
    ['with an event that cannot be relayed', [send('x'.repeat(4 * 1024 * 1024 + 1))], 'framing'],
  ]
  test.each(breaks)('%s: an error event, no `[DONE]`, what was delivered is paid', async (_name, steps, reason) => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    exchange.play(...steps)
    const rest = await body.rest()
    expect(errorIn(rest)).toMatchObject({ code: 'stream_broken', type: 'server_error' })
    expect(rest).not.toContain('[DONE]')
    expect(rest).not.toContain('inner words')
    const settled = await settlementOf(world)
    expect(settled).toMatchObject({ end: 'settled', reason: 'provider_broken', usageSource: 'estimate' })
    expect(settled.charged).toBe(money(settled.usage.input * 1000 + 10 * 4000))
    expect(await recordOf(world)).toMatchObject({
      status: 200,
      errorCode: 'stream_broken',
      attempts: [{ outcome: 'broken', reason }],
    })
  })

  test('cut after its usage was reported is charged by it', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    exchange.play(usage(5, 2), reset())
    await body.rest()
    expect(await settlementOf(world)).toMatchObject({ usageSource: 'reported', charged: 5 * 1000 + 2 * 4000 })
  })

  test('leaves a checkpoint of how far it is', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    world.clock.advance(5000)
    await settleMicrotasks()
    const [open] = [...world.store.tables.holds.values()]
    expect(open?.checkpoint).toEqual({ offer: 'north/acme/m', deliveredUnits: 10 })
    exchange.play(finish(), { end: true })
    await body.rest()
  })

  test('waits for its hold; the wait is part of its time', async () => {
    await using world = createHouseDouble()
    world.store.disk.holdBack()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play(SSE_HEAD, text('a'))
    await settleMicrotasks()
    exchange.play(text('b'), finish(), done(), { end: true })
    world.clock.advanceUs(2500)
    world.store.disk.letGo()
    const response = await answer
    expect(timingOf(response).get('post-hold')).toBe(250)
    expect(textOf(await reading(response.body).rest())).toBe('ab')
  })

  test('more than was held and is there: the rest is the operator’s loss', async () => {
    await using world = createHouseDouble({ balanceUsd: '0.02' })
    const { exchange, body } = await streaming(world, { max_tokens: 100 })
    exchange.play(finish(), usage(100, 10_000), done(), { end: true })
    await body.rest()
    expect(await settlementOf(world)).toMatchObject({ cost: 40_100_000, charged: 20_000_000, overrun: 20_100_000 })
    expect(world.funds().balance).toBe(money(0))
  })
})

describe('a plain answer', () => {
  test('is settled once its hold is on disk, not before', async () => {
    await using world = createHouseDouble()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    ;(await world.agent('north').next()).play(completion('Hello', 10, 5))
    await settleMicrotasks()
    expect(world.funds().held).toBeGreaterThan(0)
    world.store.disk.letGo()
    expect((await answer).status).toBe(200)
    expect(world.funds().held).toBe(money(0))
  })

  /** Answered while its hold is on its way to the disk: it cannot be settled in place of that any more. */
  async function answeredEarly(world: HouseDouble) {
    world.store.disk.holdBack()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    world.store.disk.commit()
    exchange.play(completion('Hello', 10, 5))
    await settleMicrotasks()
    let isThere = false
    answer.then(() => {
      isThere = true
    })
    return { answer, isThere: () => isThere }
  }

  test('whose hold is on its way to the disk waits for that', async () => {
    await using world = createHouseDouble()
    const { answer, isThere } = await answeredEarly(world)
    await settleMicrotasks()
    expect([isThere(), Number(world.funds().balance)]).toEqual([false, 1_000_000_000])
    world.store.disk.acknowledge()
    expect((await answer).status).toBe(200)
    world.store.disk.letGo()
    expect(await settlementOf(world)).toMatchObject({ charged: 10 * 1000 + 5 * 4000 })
  })

  test('whose hold does not come to the disk in time is none: nothing is charged, and nothing stays held', async () => {
    const cost = { input: 1_000_000, output: 2_000_000 }
    await using world = createHouseDouble({ backends: { north: { cost } } })
    const { answer, isThere } = await answeredEarly(world)
    world.clock.advance(4999)
    await settleMicrotasks()
    expect(isThere()).toBe(false)
    world.clock.advance(1)
    expect((await answer).status).toBe(503)
    world.store.disk.letGo()
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'storage', charged: 0 })
    expect(await recordOf(world)).toMatchObject({
      errorCode: 'storage_unavailable',
      attempts: [{ outcome: 'succeeded', absorbed: true, possibleCost: 10 + 5 * 2 }],
    })
  })

  test('that is kept where it was made can be found before anybody is told of it', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world, { input: 'hi', messages: undefined }, { operation: 'responses' })
    const exchange = await world.agent('north').next()
    await settleMicrotasks() // its hold is on disk
    world.store.disk.holdBack()
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }]
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    exchange.play(status(200, { id: 'resp_1', object: 'response', status: 'completed', output, usage }))
    let isThere = false
    answer.then(() => {
      isThere = true
    })
    await settleMicrotasks()
    expect(isThere).toBe(false)
    world.store.disk.letGo()
    expect((await answer).status).toBe(200)
    expect([...world.store.tables.stored.values()].map(({ id }) => id)).toEqual(['resp_1', 'msg_1'])
  })

  test('that is to be kept nowhere leaves nothing here', async () => {
    await using world = createHouseDouble()
    const spec = { input: 'hi', messages: undefined, store: false }
    const { answer } = ask(world, spec, { operation: 'responses' })
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }]
    const answered = { id: 'resp_1', object: 'response', status: 'completed', output }
    ;(await world.agent('north').next()).play(status(200, answered))
    expect((await answer).status).toBe(200)
    await settleMicrotasks()
    expect(world.store.tables.stored.size).toBe(0)
  })

  test('that cannot be charged is absorbed where it was made, not where it failed before', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    world.store.disk.holdBack()
    const { answer } = ask(world)
    ;(await world.agent('north').next()).play(status(500))
    const exchange = await world.agent('south').next()
    world.store.disk.commit()
    exchange.play(completion('Hello', 10, 5))
    await settleMicrotasks()
    world.clock.advance(5000)
    expect((await answer).status).toBe(503)
    world.store.disk.letGo()
    const { attempts } = await recordOf(world)
    expect(attempts.map(({ backend, outcome, absorbed }) => ({ backend, outcome, absorbed }))).toEqual([
      { backend: 'north', outcome: 'failed', absorbed: false },
      { backend: 'south', outcome: 'succeeded', absorbed: true },
    ])
  })

  test('says why it ended, on record', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(completion('Hello', 10, 5))
    await ask(world).answer
    expect(await recordOf(world)).toMatchObject({ finishReason: 'stop' })
  })

  test('without usage is charged by its text', async () => {
    await using world = createHouseDouble()
    const answered = { choices: [{ index: 0, message: { content: 'z'.repeat(30) }, finish_reason: 'stop' }] }
    world.agent('north').plays(status(200, answered))
    expect((await ask(world).answer).status).toBe(200)
    expect(await settlementOf(world)).toMatchObject({ usageSource: 'estimate', usage: { output: 10 } })
  })
})
