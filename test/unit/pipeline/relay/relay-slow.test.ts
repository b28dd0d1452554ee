import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { breathe } from '../../../support/wire.ts'
import { content, relaying } from './relay-kit.ts'

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
    await breathe()
  }
  return written
}

async function begun(made: ReturnType<typeof relaying>): Promise<void> {
  while (made.provider.delivered === 0) await breathe()
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
    expect(made.heldUp).toEqual([true])
  })

  test('pauses the provider for what was held back already', async () => {
    await using made = relaying({ held: Array.from({ length: 32 }, () => LARGE) })
    await using client = await slowClient(made.body)
    await begun(made)
    expect(made.provider.isPaused).toBe(true)
    client.socket.resume()
    await made.until(false)
    made.to.end()
    expect((await client.ended).match(/x/g)?.length).toBe(32 * LARGE.length)
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
    while (made.ends.length === 0) await breathe()
    expect(made.ends).toEqual([{ kind: 'cancelled', by: 'client' }])
    expect(made.provider.state).toBe('aborted')
  })
})
