import { describe, expect, test } from 'bun:test'
import { run } from '../../../src/pipeline/run.ts'
import { ask, asking } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble, PRICE } from '../../support/house.ts'
import { completion, done, finish, role, sse, text, usage } from '../../support/sse.ts'
import { errorOf, recordOf, settlementOf, timingOf } from './support.ts'

const DOLLAR = 1_000_000_000
const PLAIN = completion('Hello', 10, 5)
const PLAIN_COST = 10 * 1000 + 5 * 4000

describe('a hold that cannot be written', () => {
  test('aborts the provider: 503, not to be repeated, nothing charged', async () => {
    await using world = createHouseDouble()
    world.store.disk.fail()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    world.store.disk.commit()
    world.store.disk.acknowledge()
    const response = await answer
    expect(exchange.state).toBe('aborted')
    expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: 'storage_unavailable' } })
    expect(response.headers.get('x-should-retry')).toBe('false')
    timingOf(response)
    expect(world.funds()).toMatchObject({ balance: DOLLAR, held: 0 })
    world.store.disk.heal()
    world.store.disk.letGo()
    expect(await recordOf(world)).toMatchObject({
      status: 503,
      attempts: [{ outcome: 'cancelled', reason: 'storage', absorbed: true }],
    })
    expect(world.store.tables.settlements.size).toBe(0)
  })

  test('in 5 s does the same', async () => {
    await using world = createHouseDouble()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    world.clock.advance(4999)
    expect(exchange.state).toBe('open')
    world.clock.advance(1)
    expect(exchange.state).toBe('aborted')
    expect((await answer).status).toBe(503)
    world.store.disk.letGo()
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', reason: 'storage', charged: 0 })
  })

  test('ends the wait for a slot', async () => {
    await using world = createHouseDouble({ backends: { north: { slots: 1 } }, routing: { queueMs: 60_000 } })
    const slot = world.agent('north').take()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    await world.agent('north').joined()
    world.clock.advance(5000)
    expect((await answer).status).toBe(503)
    if (slot !== null) world.agent('north').release(slot)
  })

  test('after the first content of a stream: not a byte leaves, nothing charged', async () => {
    await using world = createHouseDouble()
    world.store.disk.fail()
    world.store.disk.holdBack()
    const { answer } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('never delivered'))
    await settleMicrotasks()
    world.store.disk.commit()
    world.store.disk.acknowledge()
    const response = await answer
    expect(exchange.state).toBe('aborted')
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: 'storage_unavailable' } })
    expect(world.funds()).toMatchObject({ balance: DOLLAR, held: 0 })
    world.store.disk.heal()
    world.store.disk.letGo()
    expect(await recordOf(world)).toMatchObject({
      attempts: [{ outcome: 'cancelled', reason: 'storage', absorbed: true }],
    })
  })

  test('known before the plain answer came: nothing charged', async () => {
    await using world = createHouseDouble()
    world.store.disk.fail()
    const { answer } = ask(world)
    const response = await answer
    expect(response.status).toBe(503)
    expect(world.funds()).toMatchObject({ balance: DOLLAR, held: 0 })
  })

  test('when the plain answer has come already: it is not delivered, and nothing is charged, now or when the disk heals', async () => {
    await using world = createHouseDouble({ backends: { north: { cost: PRICE } } })
    world.store.disk.fail()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.play(PLAIN)
    await settleMicrotasks()
    world.store.disk.commit()
    world.store.disk.acknowledge()
    const { status: code, error } = await errorOf(await answer)
    expect(code).toBe(503)
    expect(error.message).toContain('Nothing was charged')
    world.store.disk.heal()
    world.store.disk.letGo()
    await settleMicrotasks()
    expect(world.funds()).toMatchObject({ balance: DOLLAR, held: 0 })
    expect(await recordOf(world)).toMatchObject({
      attempts: [{ outcome: 'succeeded', absorbed: true, possibleCost: PLAIN_COST }],
    })
  })

  test('no byte of a plain answer leaves before the hold is on disk', async () => {
    await using world = createHouseDouble()
    world.store.disk.holdBack()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    exchange.play(PLAIN)
    let answered = false
    answer.then(() => {
      answered = true
    })
    await settleMicrotasks()
    world.clock.advanceUs(1230)
    expect(answered).toBe(false)
    world.store.disk.letGo()
    const response = await answer
    expect(timingOf(response).get('post-hold')).toBe(123)
  })
})

describe('a bug of ours', () => {
  test('in the sending: 500, voided, the slot is back, its text stays inside', async () => {
    await using world = createHouseDouble()
    world.agent('north').breakNextSend(new Error('inner words'))
    world.clock.advanceUs(10)
    const response = await ask(world).answer
    timingOf(response)
    const { status: code, error } = await errorOf(response)
    expect(code).toBe(500)
    expect(error.code).toBe('internal_error')
    expect(error.message).not.toContain('inner words')
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: 0 })
    expect(await recordOf(world)).toMatchObject({ status: 500, errorCode: 'internal_error' })
    const [line] = world.takeErrors()
    expect(line?.fields.internal).toContain('inner words')
  })

  test.each([true, false])(
    'in the reading of an answer: the same, without a wait for any limit of time (stream %p)',
    async (stream) => {
      await using world = createHouseDouble()
      const { answer } = ask(world, { stream })
      const exchange = await world.agent('north').next()
      exchange.play({ status: 200 })
      world.clock.advance(7)
      exchange.breakReader()
      const response = await answer
      expect(timingOf(response).get('total')).toBe(700)
      expect(response.status).toBe(500)
      expect(exchange.state).toBe('aborted')
      expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: 0 })
      expect(world.takeErrors()).toHaveLength(1)
    },
  )

  test('in the record: the request is over all the same', async () => {
    await using world = createHouseDouble()
    world.agent('north').plays(PLAIN)
    const records = {
      write: () => {
        throw new Error('no record')
      },
    }
    const { arrival } = asking()
    await expect(run({ ...world.house, records }, arrival)).rejects.toThrow('no record')
    await settleMicrotasks()
    expect(world.traffic.inFlight).toBe(0)
    expect(await settlementOf(world)).toMatchObject({ charged: PLAIN_COST })
  })

  test('in the end of a stream: voided, the body ends, the request is over', async () => {
    await using world = createHouseDouble()
    const bytesPerToken = {
      of: () => 3,
      learn: () => {
        throw new Error('learned nothing')
      },
    }
    const { arrival } = asking({ body: { stream: true } })
    world.agent('north').plays(sse(role(), text('Hi'), finish(), usage(10, 5), done()))
    const response = await run({ ...world.house, bytesPerToken }, arrival)
    await response.text()
    expect(await settlementOf(world)).toMatchObject({ end: 'voided', charged: 0 })
    expect(world.takeErrors()).toHaveLength(1)
  })
})
