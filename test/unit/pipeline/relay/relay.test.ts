import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { ReplyStream } from '../../../../src/dialects/index.ts'
import type { LiveObserver, RelayEnd } from '../../../../src/pipeline/handover.ts'
import { relayBody } from '../../../../src/pipeline/relay/relay.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble } from '../../../support/house.ts'
import { callAt, reading } from '../support.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
const content = (text: string) => ({ kind: 'content', bytes: bytesOf(text) }) as const
const failure = (message: string) =>
  ({
    kind: 'error',
    bytes: bytesOf('never passed on'),
    error: { status: 200, message, type: null, code: null, param: null },
  }) as const

/** A relay between a provider and a client that are both the test. */
function relaying({ held = ['held '], leftBefore = false } = {}) {
  const world = createHouseDouble()
  const caller = callAt(world)
  if (leftBefore) caller.leave()
  const ends: RelayEnd[] = []
  const provider = { state: 'open', isPaused: false, delivered: 0, metering: true }
  const waiting: { readonly isPaused: boolean; readonly resolve: () => void }[] = []
  const pausing = (isPaused: boolean) => () => {
    provider.isPaused = isPaused
    for (const wait of waiting) if (wait.isPaused === isPaused) wait.resolve()
  }
  const reply = { finished: true, closing: '' }
  let observer: LiveObserver | null = null
  const body = relayBody(world.house, caller.call, {
    live: {
      exchange: {
        pause: pausing(true),
        resume: pausing(false),
        abort: () => {
          provider.state = 'aborted'
        },
        sentCompletely: true,
        timing: () => {
          throw new Error('not asked for')
        },
      },
      reply: {
        get finished() {
          return reply.finished
        },
        closing: () => bytesOf(reply.closing),
      } as ReplyStream,
      held: held.map(content),
      attach(attached) {
        observer = attached
      },
    },
    meter: {
      delivered: () => {
        provider.delivered++
      },
      stop: () => {
        provider.metering = false
      },
    },
    errorEvent: (reason, message) => bytesOf(`[${reason}: ${message}]`),
    ended: (end) => ends.push(end),
  })
  return {
    ...caller,
    world,
    body,
    ends,
    provider,
    reply,
    /** What the relay was told to listen with. */
    get to(): LiveObserver {
      if (observer === null) throw new Error('the relay does not listen')
      return observer
    },
    until: (isPaused: boolean): Promise<void> =>
      provider.isPaused === isPaused
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ isPaused, resolve })),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

describe('a stream that is read', () => {
  test('the held events first, then each as it comes, then the end', async () => {
    await using made = relaying({ held: ['one ', 'two '] })
    const client = reading(made.body)
    expect(await client.next()).toBe('one two ')
    made.to.events([content('three ')])
    expect(await client.next()).toBe('three ')
    expect(made.ends).toEqual([])
    made.to.end()
    expect(await client.rest()).toBe('')
    expect(made.ends).toEqual([{ kind: 'completed' }])
    expect(made.provider).toMatchObject({ state: 'open', delivered: 2, metering: false })
  })

  test('what the dialect still needs for a clean end is supplied', async () => {
    await using made = relaying()
    made.reply.closing = 'data: [DONE]\n\n'
    const client = reading(made.body)
    await client.next()
    made.to.end()
    expect(await client.rest()).toBe('data: [DONE]\n\n')
  })

  test('the money is settled before the last byte leaves', async () => {
    await using made = relaying()
    made.reply.closing = 'last'
    const client = reading(made.body)
    await client.next()
    const last = client.next()
    made.to.end()
    expect(made.ends).toHaveLength(1)
    expect(await last).toBe('last')
  })

  test('events without bytes are no writes', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.to.events([{ kind: 'withheld', bytes: new Uint8Array(0) }])
    made.to.events([content('more')])
    expect(await client.next()).toBe('more')
    made.to.end()
    expect(await client.rest()).toBe('')
  })
})

describe('a stream that breaks', () => {
  test('the error event ends it, nothing follows', async () => {
    await using made = relaying()
    made.reply.closing = 'data: [DONE]\n\n'
    const client = reading(made.body)
    await client.next()
    made.to.broken('reset', 'cut')
    made.to.end()
    made.to.broken('reset', 'again')
    made.to.events([content('late')])
    expect(await client.rest()).toBe('[reset: cut]')
    expect(made.ends).toEqual([{ kind: 'broken', reason: 'reset', message: 'cut' }])
    expect(made.world.clock.timers).toBe(0)
  })

  test('by its end without a finish_reason', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.to.end()
    expect(await client.rest()).toStartWith('[ended_early: ')
    expect(made.ends).toMatchObject([{ kind: 'broken', reason: 'ended_early' }])
  })

  test('by an error among its events: what came before it is passed on, the provider is aborted', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.to.events([content('good '), failure('overloaded'), content('never')])
    expect(await client.rest()).toBe('good [error_in_answer: overloaded]')
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toMatchObject([{ kind: 'broken', reason: 'error_in_answer' }])
  })
})

describe('a client that leaves', () => {
  test('told by the request: the provider is aborted at once', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    made.leave()
    expect(made.provider.state).toBe('aborted')
    made.to.events([content('late')])
    made.to.end()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
  })

  test('told by the body', async () => {
    await using made = relaying()
    made.reply.finished = false
    const client = reading(made.body)
    await client.next()
    await client.cancel()
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
  })

  test('after the answer was complete: nothing is missing', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.leave()
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })

  test('before anything was read', async () => {
    await using made = relaying()
    made.reply.finished = false
    made.leave()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
    expect(await new Response(made.body).text()).toBe('')
  })

  test('before there was a relay', async () => {
    await using made = relaying({ leftBefore: true })
    expect(made.provider.state).toBe('aborted')
    expect(made.ends).toHaveLength(1)
  })

  test('when the gateway stops: no clean end', async () => {
    await using made = relaying()
    const client = reading(made.body)
    await client.next()
    made.call.leave.fire('shutdown')
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'shutdown' }])
    await expect(client.next()).rejects.toThrow()
  })
})

/** Serves one body over a real socket, whose client reads only when it is told to. */
async function slowClient(body: ReadableStream<Uint8Array>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) })
  const socket: Socket = await new Promise((resolve) => {
    const made = connect(Number(server.port), '127.0.0.1', () => resolve(made))
  })
  const received: Buffer[] = []
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (piece: Buffer) => received.push(piece))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(received).toString()))
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  return {
    socket,
    ended,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await server.stop(true)
    },
  }
}

const LARGE = 'x'.repeat(1024 * 1024)

/** Writes until the client's socket is full. */
async function fill(made: ReturnType<typeof relaying>): Promise<number> {
  let written = 0
  while (!made.provider.isPaused) {
    made.to.events([content(LARGE)])
    written += LARGE.length
    await new Promise((resolve) => setImmediate(resolve))
  }
  return written
}

async function begun(made: ReturnType<typeof relaying>): Promise<void> {
  while (made.provider.delivered === 0) await new Promise((resolve) => setImmediate(resolve))
}

describe('a client that reads slowly', () => {
  test('pauses the provider, and gets every byte when it reads again', async () => {
    await using made = relaying()
    await using client = await slowClient(made.body)
    await begun(made)
    const written = await fill(made)
    expect(made.world.clock.timers).toBe(1) // how long it may stall
    client.socket.resume()
    await made.until(false)
    expect(made.world.clock.timers).toBe(0)
    made.to.events([content('tail')])
    made.to.end()
    const text = await client.ended
    expect(text.match(/x/g)?.length).toBe(written)
    expect(text).toContain('tail')
    expect(text).toEndWith('0\r\n\r\n')
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })

  test('the end waits until it has taken what came before', async () => {
    await using made = relaying()
    await using client = await slowClient(made.body)
    await begun(made)
    await fill(made)
    made.to.end()
    await settleMicrotasks()
    expect(made.ends).toEqual([])
    client.socket.resume()
    expect(await client.ended).toEndWith('0\r\n\r\n')
    expect(made.ends).toEqual([{ kind: 'completed' }])
  })

  test('for longer than `client_stall_ms` is cut off, without a clean end', async () => {
    await using made = relaying()
    await using client = await slowClient(made.body)
    await begun(made)
    await fill(made)
    made.world.clock.advance(59_999)
    expect(made.ends).toEqual([])
    made.world.clock.advance(1)
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client_stall' }])
    expect(made.provider.state).toBe('aborted')
    client.socket.resume()
    expect(await client.ended).not.toEndWith('0\r\n\r\n')
  })

  test('and hangs up', async () => {
    await using made = relaying()
    made.reply.finished = false
    await using client = await slowClient(made.body)
    await begun(made)
    await fill(made)
    client.socket.destroy()
    while (made.ends.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
    expect(made.provider.state).toBe('aborted')
  })
})
