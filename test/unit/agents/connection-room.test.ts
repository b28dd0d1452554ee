import { describe, expect, test } from 'bun:test'
import { ConnectionRoom } from '../../../src/agents/connection-room.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

describe('the bound of all connections', () => {
  test('the connection that has rested the longest anywhere makes place', async () => {
    await using server = await rawServer(always(plain('yes')))
    const room = new ConnectionRoom(2)
    using one = agentOf(backendAt(server.port, { id: 'one' }), {}, { room })
    using two = agentOf(backendAt(server.port, { id: 'two' }), {}, { room })
    await ask(one)
    one.clock.advance(1)
    two.clock.advance(5)
    await ask(two)
    expect(room.taken).toBe(2)
    using three = agentOf(backendAt(server.port, { id: 'three' }), {}, { room })
    expect(await ask(three)).toMatchObject({ kind: 'ended' })
    expect([one, two, three].map((agent) => agent.stats().connectionsIdle)).toEqual([0, 1, 1])
    await until(() => room.taken === 2)
  })

  test('when all are busy a request is unsent, with a reason that blames nobody, and nothing is opened ahead', async () => {
    const busy = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await busy.opened
      await peer.write(plain('yes'))
    })
    const room = new ConnectionRoom(1)
    using one = agentOf(backendAt(server.port), {}, { room })
    using two = agentOf(backendAt(server.port), { warm: 2, keepWarmMs: 60_000 }, { room })
    const first = new Probe(one)
    expect(await ask(two)).toEqual({
      kind: 'unsent',
      reason: 'no_room',
      message: 'the gateway has 1 connections open, as many as agents.connections_max allows',
    })
    two.clock.advance(10_000)
    expect(two.stats()).toMatchObject({ connectionsDialling: 0, connectionsOpen: 0 })
    busy.open()
    await first.ended.promise
    expect(await ask(two)).toMatchObject({ kind: 'ended' })
    expect(one.stats().connectionsIdle).toBe(0)
  })

  test('nobody’s connection is closed for one that is opened ahead', async () => {
    await using server = await rawServer(always(plain('yes')))
    const room = new ConnectionRoom(1)
    using one = agentOf(backendAt(server.port), {}, { room })
    using two = agentOf(backendAt(server.port), { warm: 2, keepWarmMs: 60_000 }, { room })
    await ask(one)
    two.keepWarm()
    two.clock.advance(1000)
    expect([one.stats().connectionsIdle, two.stats().connectionsDialling, room.taken]).toEqual([1, 0, 1])
    one.closeLongestIdle()
    await until(() => room.taken === 0)
    two.clock.advance(500)
    expect([two.stats().connectionsDialling, room.taken]).toEqual([1, 1])
  })

  test('an agent that has ended gives its place back', async () => {
    await using server = await rawServer(always(plain('yes')))
    const room = new ConnectionRoom(1)
    const one = agentOf(backendAt(server.port), {}, { room })
    await ask(one)
    one.close()
    expect(room.taken).toBe(0)
    expect(room.enter()).toBe(true)
    expect(room.enterIfFree()).toBe(false)
    room.leave()
  })
})
