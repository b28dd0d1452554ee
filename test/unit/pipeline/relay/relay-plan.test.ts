import { describe, expect, spyOn, test } from 'bun:test'
import { ask } from '../../../support/ask.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble } from '../../../support/house.ts'
import { type Part, reset, status } from '../../../support/script.ts'
import { done, finish, role, text, usage } from '../../../support/sse.ts'
import { typedEvent } from '../../../support/wire-operations.ts'
import { MESSAGE_ITEM, responseEvents } from '../../../support/wire-responses.ts'
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

  test('whose backend was not the first: how fast it came counts from its own first content', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    const asked = ask(world, { stream: true })
    const first = await world.agent('north').next()
    world.clock.advance(500)
    first.play(status(500))
    const exchange = await world.agent('south').next()
    world.clock.advance(300)
    exchange.play(SSE_HEAD, role(), text('yes'))
    const body = reading((await asked.answer).body)
    const ended = spyOn(world.house.health, 'attemptEnded')
    world.clock.advance(70)
    exchange.play(finish(), usage(10, 7), done(), { end: true })
    await body.rest()
    expect(ended.mock.calls).toMatchObject([[{ offer: 'south/acme/m', answer: { tokens: 7, us: 70_000 } }]])
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

describe('a stream that its provider keeps', () => {
  /** Begun, with its first item; a second one comes `last`. What is known of it now. */
  async function keeping(fields: object = {}) {
    const world = createHouseDouble()
    const spec = { input: 'hi', messages: undefined, stream: true, ...fields }
    const asked = ask(world, spec, { operation: 'responses' })
    const exchange = await world.agent('north').next()
    const later = [{ type: 'response.output_item.added', output_index: 1, item: { ...MESSAGE_ITEM, id: 'msg_2' } }]
    const events = responseEvents(['Hello'], later).map(typedEvent)
    const play = (...parts: Part[]): void => exchange.play(...parts)
    play(SSE_HEAD, ...events.slice(0, -1))
    const body = reading((await asked.answer).body)
    expect(await body.next()).toContain('response.created')
    const known = async (): Promise<string[]> => {
      await settleMicrotasks()
      return [...world.store.tables.stored.values()].map(({ id }) => id)
    }
    return { world, ...asked, play, last: events.slice(-1), body, known }
  }

  test('is known while it runs', async () => {
    const { world, known, play, body } = await keeping()
    await using _ = world
    expect(await known()).toEqual(['resp_1', 'msg_1'])
    play(reset())
    await body.rest()
  })

  test('is known by the items that it has when it breaks', async () => {
    const { world, known, play, last, body } = await keeping()
    await using _ = world
    play(...last, reset())
    expect(await body.rest()).toContain('response.failed')
    expect(await known()).toEqual(['resp_1', 'msg_1', 'msg_2'])
  })

  test('and when its caller leaves', async () => {
    const { world, known, play, last, leave } = await keeping()
    await using _ = world
    play(...last)
    leave()
    expect(await known()).toEqual(['resp_1', 'msg_1', 'msg_2'])
  })

  test('leaves nothing here where it is to be kept nowhere', async () => {
    const { world, known, play, last, body } = await keeping({ store: false })
    await using _ = world
    play(...last, reset())
    await body.rest()
    expect(await known()).toEqual([])
  })
})
