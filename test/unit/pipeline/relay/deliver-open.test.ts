import { describe, expect, test } from 'bun:test'
import { money } from '../../../../src/domain/index.ts'
import { type ArrivalSpec, ask } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../../support/house.ts'
import { status } from '../../../support/script.ts'
import { done, finish, role, text, usage } from '../../../support/sse.ts'
import { SSE_HEAD } from '../dispatch/attempt-kit.ts'
import { reading, recordOf, settlementOf, textOf } from '../support.ts'

const AFTER_MS = 15_000
const BEAT = ': heartbeat\n\n'

const houseOf = (spec: HouseSpec = {}): HouseDouble =>
  createHouseDouble({
    backends: { north: {}, south: {} },
    ...spec,
    routing: { heartbeatAfterMs: AFTER_MS, ...spec.routing },
  })

/** A stream whose provider is silent until its head has gone out with a heartbeat. */
async function opened(world: HouseDouble, spec: Omit<ArrivalSpec, 'body'> = {}) {
  const asked = ask(world, { stream: true }, spec)
  const exchange = await world.agent('north').next()
  await settleMicrotasks()
  world.clock.advance(AFTER_MS)
  const response = await asked.answer
  const body = reading(response.body)
  expect(await body.next()).toBe(BEAT)
  return { ...asked, exchange, response, body }
}

const errorIn = (events: string) => JSON.parse(/data: (\{"error".*\})\n\n$/.exec(events)?.[1] ?? '{}').error

describe('an answer whose head goes out with a heartbeat', () => {
  test('has status 200, and tells of its time what is known', async () => {
    await using world = houseOf()
    const { response, exchange, body } = await opened(world)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(response.headers.get('server-timing')).toMatch(/^gw;dur=0\.00, gw-recv;dur=0\.00, .*, total;desc="open"$/)
    expect(response.headers.get('server-timing')).not.toContain('upstream')
    exchange.play(SSE_HEAD, role(), text('a'), finish(), usage(10, 2), done(), { end: true })
    const rest = await body.rest()
    expect(textOf(rest)).toBe('a')
    expect(rest).toEndWith('data: [DONE]\n\n')
    expect(rest).not.toContain(': server-timing')
    expect(await settlementOf(world)).toMatchObject({ reason: 'completed', usageSource: 'reported' })
  })

  test('goes on beating while nothing comes, and between events', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world)
    world.clock.advance(AFTER_MS)
    expect(await body.next()).toBe(BEAT)
    exchange.play(SSE_HEAD, role(), text('a'))
    expect(textOf((await body.next()) ?? '')).toBe('a')
    world.clock.advance(AFTER_MS)
    expect(await body.next()).toBe(BEAT)
    exchange.play(finish(), done(), { end: true })
    await body.rest()
  })

  test('is no commit point: the next backend may serve it', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world)
    exchange.play(status(500))
    const second = await world.agent('south').next()
    second.play(SSE_HEAD, role(), text('b'), finish(), done(), { end: true })
    expect(textOf(await body.rest())).toBe('b')
    const { attempts, status: recorded, timing } = await recordOf(world)
    expect(attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'succeeded' }])
    expect([recorded, timing.totalUs]).toEqual([200, AFTER_MS * 1000])
  })

  test('in the end a failure: its event with code, attempts and when to try again; no `[DONE]`, nothing charged', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world)
    world.agent('south').plays(status(429, {}, { 'retry-after': '9' }))
    exchange.play(status(429, {}, { 'retry-after': '7' }))
    const rest = await body.rest()
    expect(errorIn(rest)).toMatchObject({
      code: 'rate_limit_exceeded',
      retry_after: 7,
      attempts: [{ backend: 'north' }, { backend: 'south' }],
    })
    expect(rest).not.toContain('[DONE]')
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: money(0) })
    expect(await recordOf(world)).toMatchObject({ status: 200, errorCode: 'rate_limit_exceeded' })
  })

  test('and a bug too', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world)
    exchange.breakReader()
    expect(errorIn(await body.rest())).toMatchObject({ code: 'internal_error' })
    expect(await settlementOf(world)).toMatchObject({ end: 'voided' })
    expect(world.takeErrors()).toHaveLength(1)
  })

  test('waits for its hold', async () => {
    await using world = houseOf({ routing: { heartbeatAfterMs: 1000 } })
    world.store.disk.holdBack()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    await settleMicrotasks()
    let isThere = false
    answer.then(() => {
      isThere = true
    })
    world.clock.advance(4000)
    await settleMicrotasks()
    expect(isThere).toBe(false)
    world.store.disk.letGo()
    const body = reading((await answer).body)
    expect(await body.next()).toBe(BEAT)
    exchange.play(SSE_HEAD, text('a'), finish(), done(), { end: true })
    await body.rest()
  })

  test('content before it: no comment, and the usual head', async () => {
    await using world = houseOf()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    await settleMicrotasks()
    world.clock.advance(AFTER_MS - 1)
    exchange.play(SSE_HEAD, text('a'))
    const response = await answer
    expect(response.headers.get('server-timing')).toContain('upstream-1')
    exchange.play(finish(), done(), { end: true })
    expect(await reading(response.body).rest()).not.toContain(BEAT)
  })

  test('a bug before it is an error answer like any other', async () => {
    await using world = houseOf()
    const { answer } = ask(world, { stream: true })
    ;(await world.agent('north').next()).breakReader()
    expect((await answer).status).toBe(500)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided' })
    expect(world.clock.timers).toBe(0)
    expect(world.takeErrors()).toHaveLength(1)
  })

  test('a plain answer never gets one', async () => {
    await using world = houseOf()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    await settleMicrotasks()
    world.clock.advance(AFTER_MS * 3)
    exchange.play(status(500))
    world.agent('south').plays(status(500))
    expect((await answer).status).toBe(502)
  })
})

describe('the caller of an open answer leaves', () => {
  test.each(['by the request', 'by the body'])('%s: the provider is aborted, the prompt is paid', async (how) => {
    await using world = houseOf()
    const { exchange, body, leave } = await opened(world)
    exchange.written()
    if (how === 'by the body') await body.cancel()
    else leave()
    expect(exchange.state).toBe('aborted')
    expect(await settlementOf(world)).toMatchObject({ end: 'settled', reason: 'client_gone', usage: { output: 0 } })
    expect(await recordOf(world)).toMatchObject({ errorCode: 'client_closed_request' })
  })

  test('by the body, in the middle of it: the provider is aborted, what was delivered is paid', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world)
    exchange.play(SSE_HEAD, role(), text('y'.repeat(30)))
    expect(textOf((await body.next()) ?? '')).toBe('y'.repeat(30))
    await body.cancel()
    expect(exchange.state).toBe('aborted')
    expect(await settlementOf(world)).toMatchObject({ reason: 'client_gone', usage: { output: 10 } })
  })

  test('in the tick of the first content: the stream is given up', async () => {
    await using world = houseOf()
    const { exchange, leave } = await opened(world)
    exchange.play(SSE_HEAD, text('a'))
    leave()
    await settleMicrotasks()
    expect(exchange.state).toBe('aborted')
    expect(await settlementOf(world)).toMatchObject({ reason: 'client_gone' })
  })

  test('when the gateway stops it is told so', async () => {
    await using world = houseOf()
    const { body } = await opened(world)
    world.traffic.endAll()
    expect(errorIn(await body.rest())).toMatchObject({ code: 'shutting_down', retry_after: 1 })
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'shutdown' })
  })
})

describe('the times of an open answer', () => {
  test('come as a comment before its end, where the setting says so', async () => {
    await using world = houseOf({ replies: { timingComment: true } })
    const { exchange, body } = await opened(world)
    exchange.play(SSE_HEAD, text('a'), finish(), done(), { end: true })
    expect(await body.rest()).toMatch(
      /\ndata: \[DONE\]\n\n: server-timing gw;.*, upstream;dur=15000\.00, upstream-1;.*, total;dur=15000\.00\n\n$/,
    )
  })

  test('and with the explanation for who asked, before an error too', async () => {
    await using world = houseOf()
    const { exchange, body } = await opened(world, { headers: { 'x-anyrouter-explain': '1' } })
    world.agent('south').plays(status(500))
    exchange.play(status(500))
    const rest = await body.rest()
    const said = /: server-timing .*\n: x-anyrouter-explain (.*)\n\ndata: \{"error"/.exec(rest)?.[1] ?? '{}'
    expect(JSON.parse(said)).toMatchObject({ attempts: [{ backend: 'north' }, { backend: 'south' }] })
  })
})
