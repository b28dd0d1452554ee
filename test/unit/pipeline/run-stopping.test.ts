import { describe, expect, test } from 'bun:test'
import { ask, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { role, text } from '../../support/sse.ts'
import { errorOf, reading, recordOf, settlementOf } from './support.ts'

const STOPPED = { status: 503, error: { code: 'shutting_down' } }

describe('the gateway stops and waits no longer', () => {
  test('while the body comes', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world, upload().body)
    await settleMicrotasks()
    world.traffic.endAll()
    expect(await errorOf(await answer)).toMatchObject(STOPPED)
  })

  test('in the line for a slot: voided', async () => {
    await using world = createHouseDouble({ backends: { north: { slots: 1 } } })
    const slot = world.agent('north').take()
    const { answer } = ask(world)
    await world.agent('north').joined()
    world.traffic.endAll()
    expect(await errorOf(await answer)).toMatchObject(STOPPED)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'shutdown', charged: 0 })
    if (slot !== null) world.agent('north').release(slot)
  })

  test.each([true, false])(
    'what was sent whole may have run: not to be repeated, unless the operator says so (%p)',
    async (noRetryAfterSend) => {
      await using world = createHouseDouble({ replies: { noRetryAfterSend } })
      const { answer } = ask(world)
      const exchange = await world.agent('north').next()
      exchange.written()
      world.traffic.endAll()
      expect((await answer).headers.get('x-should-retry')).toBe(String(!noRetryAfterSend))
    },
  )

  test('what was not may be repeated', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world)
    await world.agent('north').next()
    world.traffic.endAll()
    expect((await answer).headers.get('x-should-retry')).toBe('true')
    expect(await recordOf(world)).toMatchObject({ attempts: [{ outcome: 'cancelled', absorbed: false }] })
  })

  test('before the answer of what was sent whole: the caller, who did not leave, pays nothing; the operator may', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    world.traffic.endAll()
    expect(exchange.state).toBe('aborted')
    expect(await errorOf(await answer)).toMatchObject(STOPPED)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'shutdown', charged: 0 })
    expect(await recordOf(world)).toMatchObject({ attempts: [{ outcome: 'cancelled', absorbed: true }] })
  })

  test('in mid-stream: the client is told in the stream, what was delivered is paid', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('y'.repeat(30)))
    const body = reading((await answer).body)
    await body.next()
    world.traffic.endAll()
    expect(exchange.state).toBe('aborted')
    const rest = await body.rest()
    expect(rest).toContain('"code":"shutting_down"')
    expect(rest).not.toContain('[DONE]')
    expect(await settlementOf(world)).toMatchObject({ end: 'settled', reason: 'shutdown', usage: { output: 10 } })
    expect(await recordOf(world)).toMatchObject({
      status: 200,
      errorCode: 'shutting_down',
      attempts: [{ outcome: 'cancelled', reason: 'shutdown' }],
    })
  })
})
