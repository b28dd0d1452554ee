import { describe, expect, test } from 'bun:test'
import { reset, send } from '../../../support/script.ts'
import { delta, done, finish, text, usage } from '../../../support/sse.ts'
import { listener, live, SSE_HEAD, stream } from './attempt-kit.ts'

describe('a stream after its commit point', () => {
  test('what comes before the relay listens is told to it in order, then all at once as it comes', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const { attach } = await live(made)
    made.exchange.play(text('b'), text('c'))
    const observer = listener()
    attach(observer)
    expect(observer.told).toEqual(['b', 'c'])
    made.exchange.play(text('d'), finish(), done(), { end: true })
    expect(observer.told).toEqual(['b', 'c', 'd', '', '', 'end'])
  })

  test('the provider waits after 64 reads that nobody takes, and goes on when the relay listens', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const { attach } = await live(made)
    for (let read = 0; read < 63; read++) made.exchange.play(text('b'))
    expect(made.exchange.isPaused).toBe(false)
    made.exchange.play(text('b'))
    expect(made.exchange.isPaused).toBe(true)
    const observer = listener()
    attach(observer)
    expect(observer.told).toHaveLength(64)
    expect(made.exchange.isPaused).toBe(false)
  })

  test('a pause that the relay asks for while it is told stays', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const { attach } = await live(made)
    for (let read = 0; read < 64; read++) made.exchange.play(text('b'))
    attach(listener(() => made.exchange.pause()))
    expect(made.exchange.isPaused).toBe(true)
  })

  test('a cut', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const observer = listener()
    ;(await live(made)).attach(observer)
    made.exchange.play(reset())
    expect(observer.told).toEqual(['broken reset'])
  })

  test('silence past the limit of the agent', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const observer = listener()
    ;(await live(made)).attach(observer)
    made.exchange.fail('idle_timeout')
    expect(observer.told).toEqual(['broken idle_timeout'])
  })

  test('an event that cannot be relayed: the exchange is over before the relay is told', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    let state = 'untold'
    const observer = {
      ...listener(),
      broken: () => {
        state = made.exchange.state
      },
    }
    ;(await live(made)).attach(observer)
    made.exchange.play(send('x'.repeat(4 * 1024 * 1024 + 1)))
    expect(state).toBe('aborted')
  })

  test('a bug in the reading', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const observer = listener()
    ;(await live(made)).attach(observer)
    made.exchange.breakReader()
    expect(observer.told).toEqual(['broken framing'])
    expect(made.exchange.state).toBe('aborted')
  })

  test('a bug at its end', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const told = listener()
    const observer = {
      ...told,
      end: () => {
        throw new TypeError('a bug')
      },
    }
    ;(await live(made)).attach(observer)
    made.exchange.play({ end: true })
    expect(told.told).toEqual(['broken framing'])
  })

  test('no limit of time of ours stands over it any more, and the caller’s leaving is the relay’s', async () => {
    await using made = stream()
    made.exchange.play(SSE_HEAD, text('a'))
    const observer = listener()
    ;(await live(made)).attach(observer)
    made.world.clock.advance(1_000_000)
    made.leave()
    expect([made.exchange.state, observer.told]).toEqual(['open', []])
  })
})

test('usage that nobody asked for is kept back', async () => {
  await using made = stream()
  made.exchange.play(SSE_HEAD, text('a'), delta({}, 'stop'), usage(3, 4))
  const { attach, reply } = await live(made)
  let kinds: string[] = []
  attach({
    ...listener(),
    events: (events) => {
      kinds = [...kinds, ...events.map(({ kind }) => kind)]
    },
  })
  expect(kinds).toEqual(['content', 'withheld'])
  expect(reply.usage).toMatchObject({ input: 3, output: 4 })
})
