import { describe, expect, spyOn, test } from 'bun:test'
import { ask } from '../../../support/ask.ts'
import { createHouseDouble, type HouseDouble } from '../../../support/house.ts'
import { reset } from '../../../support/script.ts'
import { done, finish, role, text, usage } from '../../../support/sse.ts'
import { SSE_HEAD } from '../dispatch/attempt-kit.ts'
import { reading, recordOf, settlementOf } from '../support.ts'

async function streaming(world: HouseDouble) {
  const asked = ask(world, { stream: true })
  const exchange = await world.agent('north').next()
  exchange.play(SSE_HEAD, role(), text('y'.repeat(30)))
  const body = reading((await asked.answer).body)
  await body.next()
  return { ...asked, exchange, body }
}

describe('the end of a stream', () => {
  test('that is whole: why it ended is on record, how fast it came is told to health', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    const ended = spyOn(world.house.health, 'attemptEnded')
    world.clock.advance(70)
    exchange.play(finish(), usage(10, 7), done(), { end: true })
    await body.rest()
    expect(await recordOf(world)).toMatchObject({ finishReason: 'stop' })
    const report = { offer: 'north/acme/m', sent: true, blame: 'cleared', answer: { tokens: 7, us: 70_000 } }
    expect(ended.mock.calls).toMatchObject([[report]])
  })

  test('that broke tells nothing of how fast the backend is', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    const ended = spyOn(world.house.health, 'attemptEnded')
    exchange.play(reset())
    await body.rest()
    expect(ended.mock.calls).toMatchObject([[{ blame: 'backend', answer: null }]])
  })

  test('that broke: slot back, settled, its attempt corrected, told in the surface of the caller', async () => {
    await using world = createHouseDouble()
    const { exchange, body } = await streaming(world)
    world.clock.advance(70)
    exchange.play(reset())
    expect(await body.rest()).toContain('"code":"stream_broken"')
    expect(world.agent('north').stats().slotsTaken).toBe(0)
    expect(await settlementOf(world)).toMatchObject({ reason: 'provider_broken' })
    expect((await recordOf(world)).attempts).toMatchObject([{ outcome: 'broken', reason: 'reset', endedUs: 70_000 }])
  })

  test('whose caller left', async () => {
    await using world = createHouseDouble()
    const { leave } = await streaming(world)
    leave()
    expect(await settlementOf(world)).toMatchObject({ reason: 'client_gone' })
    expect((await recordOf(world)).attempts).toMatchObject([{ outcome: 'cancelled', reason: 'client' }])
  })
})
