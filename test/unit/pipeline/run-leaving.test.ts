import { describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { run } from '../../../src/pipeline/run.ts'
import { ask, asking, upload } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { status } from '../../support/script.ts'
import { completion, role, text } from '../../support/sse.ts'
import { reading, recordOf, settlementOf, timingOf } from './support.ts'

const PLAIN = completion('Hello', 10, 5)

describe('the caller leaves', () => {
  test('while the body comes', async () => {
    await using world = createHouseDouble()
    const { answer, leave } = ask(world, upload().body)
    await settleMicrotasks()
    leave()
    expect((await answer).status).toBe(499)
    expect(await recordOf(world)).toMatchObject({ status: 499, errorCode: 'client_closed_request' })
  })

  test('before the request came to the gateway at all', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(PLAIN)
    const { arrival, leave } = asking()
    leave()
    expect((await run(world.house, arrival)).status).toBe(499)
    expect(world.agent('north').exchanges).toHaveLength(0)
  })

  test('in the line for a slot: voided, out of the line', async () => {
    await using world = createHouseDouble({ backends: { north: { slots: 1 } } })
    const slot = world.agent('north').take()
    const { answer, leave } = ask(world)
    await world.agent('north').joined()
    leave()
    const response = await answer
    expect(response.status).toBe(499)
    expect(timingOf(response).has('upstream')).toBe(false)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'cancelled_unsent', charged: 0 })
    expect(world.agent('north').stats()).toMatchObject({ waiters: 0 })
    if (slot !== null) world.agent('north').release(slot)
  })

  test('before its request was written completely: voided', async () => {
    await using world = createHouseDouble()
    const { answer, leave } = ask(world)
    const exchange = await world.agent('north').next()
    leave()
    expect(exchange.state).toBe('aborted')
    expect((await answer).status).toBe(499)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'cancelled_unsent', charged: 0 })
    expect(await recordOf(world)).toMatchObject({ status: 499, attempts: [{ outcome: 'cancelled', reason: 'client' }] })
  })

  test.each([true, false])(
    'before the content of what was sent whole: the prompt is paid (stream %p)',
    async (stream) => {
      await using world = createHouseDouble()
      const { answer, leave } = ask(world, { stream })
      const exchange = await world.agent('north').next()
      exchange.written()
      leave()
      expect(exchange.state).toBe('aborted')
      const response = await answer
      timingOf(response)
      expect(response.status).toBe(499)
      const settled = await settlementOf(world)
      expect(settled).toMatchObject({ end: 'settled', reason: 'client_gone', usageSource: 'estimate' })
      expect(settled.usage).toMatchObject({ input: settled.covered?.promptUnits, output: 0 })
      expect(settled.charged).toBe(money(settled.usage.input * 1000))
      expect(settled.charged).toBeGreaterThan(0)
      expect(await recordOf(world)).toMatchObject({ attempts: [{ outcome: 'cancelled', absorbed: false }] })
    },
  )

  test('the same with `before_content: free`: voided, and the operator’s loss', async () => {
    await using world = createHouseDouble({ money: { beforeContent: 'free' } })
    const { answer, leave } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    leave()
    expect((await answer).status).toBe(499)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: 0 })
    expect(await recordOf(world)).toMatchObject({ attempts: [{ outcome: 'cancelled', absorbed: true }] })
  })

  test('between two attempts: what failed before is not paid', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    const { answer, leave } = ask(world)
    const first = await world.agent('north').next()
    first.play(status(500))
    const second = await world.agent('south').next()
    leave()
    expect(second.state).toBe('aborted')
    expect((await answer).status).toBe(499)
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: 0 })
  })

  test('after the first content, before the hold is on disk: the provider is aborted at once, only the prompt is paid', async () => {
    await using world = createHouseDouble()
    world.store.disk.holdBack()
    const { answer, leave } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('never delivered'))
    await settleMicrotasks()
    leave()
    expect(exchange.state).toBe('aborted')
    world.store.disk.letGo()
    const response = await answer
    expect(response.status).toBe(499)
    const settled = await settlementOf(world)
    expect(settled).toMatchObject({ end: 'settled', reason: 'client_gone', usage: { output: 0 } })
    expect(await recordOf(world)).toMatchObject({
      status: 499,
      attempts: [{ outcome: 'cancelled', reason: 'client', absorbed: false }],
    })
  })

  test('in mid-stream: the provider is aborted at once, prompt and delivered text are paid', async () => {
    await using world = createHouseDouble()
    const { answer, leave } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('y'.repeat(30)))
    const body = reading((await answer).body)
    await body.next()
    leave()
    expect(exchange.state).toBe('aborted')
    const settled = await settlementOf(world)
    expect(settled).toMatchObject({ reason: 'client_gone', usageSource: 'estimate', usage: { output: 10 } })
    expect(settled.charged).toBe(money(settled.usage.input * 1000 + 10 * 4000))
    expect(await recordOf(world)).toMatchObject({
      status: 200,
      errorCode: 'client_closed_request',
      attempts: [{ outcome: 'cancelled', reason: 'client' }],
    })
  })

  test('in mid-stream, when the server tells of it by the body alone', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('yyy'))
    const body = reading((await answer).body)
    await body.next()
    await body.cancel()
    expect(exchange.state).toBe('aborted')
    expect(await settlementOf(world)).toMatchObject({ reason: 'client_gone', usage: { output: 1 } })
  })

  test('before the body of a stream was read at all', async () => {
    await using world = createHouseDouble()
    const { answer, leave } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('yyy'))
    const response = await answer
    leave()
    expect(exchange.state).toBe('aborted')
    expect(await settlementOf(world)).toMatchObject({ reason: 'client_gone' })
    await response.body?.cancel()
  })
})
