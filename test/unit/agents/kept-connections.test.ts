import { describe, expect, test } from 'bun:test'
import { plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, until } from './probe.ts'

/** How many ms a connection may rest before the next request opens a new one. */
async function lives(
  settings: { idleMs?: number; ageMaxMs?: number },
  headers: readonly string[],
  rests: readonly number[],
): Promise<boolean[]> {
  await using server = await rawServer(async (peer) => {
    for (;;) {
      await peer.request()
      await peer.write(plain('yes', { headers }))
    }
  })
  using agent = agentOf(backendAt(server.port), settings)
  await ask(agent)
  const kept: boolean[] = []
  for (const restMs of rests) {
    agent.clock.advance(restMs)
    const before = agent.stats().connectionsOpened
    await ask(agent)
    kept.push(agent.stats().connectionsOpened === before)
  }
  return kept
}

describe('KeptConnections', () => {
  test('the configured idle time counts from the last exchange', async () => {
    expect(await lives({ idleMs: 1000 }, [], [999, 999, 1000])).toEqual([true, true, false])
  })

  test('the backend’s own time, less a second, when it is shorter', async () => {
    expect(await lives({ idleMs: 60_000 }, ['keep-alive: timeout=5, max=100'], [3999, 4000])).toEqual([true, false])
    expect(await lives({ idleMs: 1000 }, ['keep-alive: timeout=5'], [999, 1000])).toEqual([true, false])
  })

  test('the age of a connection ends it, however busy it is', async () => {
    expect(await lives({ ageMaxMs: 2000 }, [], [900, 900, 199, 1])).toEqual([true, true, true, false])
  })

  test('a connection that has rested too long is closed, request or not, and the watch ends with it', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
      await peer.request().catch(() => peer.end())
    })
    using agent = agentOf(backendAt(server.port), { idleMs: 1000 })
    await Promise.all([ask(agent), ask(agent)])
    agent.clock.advance(999)
    expect(agent.stats().connectionsIdle).toBe(2)
    agent.clock.advance(501)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 0, connectionsOpen: 0 })
    await until(() => server.open === 0)
    agent.clock.advance(500)
    expect(agent.clock.timers).toBe(0)
  })

  test('more than may be kept: the one that has rested longest is closed', async () => {
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port), { idleMax: 2 })
    await Promise.all([ask(agent), ask(agent), ask(agent)])
    expect(agent.stats()).toMatchObject({ connectionsIdle: 2, connectionsOpen: 2, connectionsOpened: 3 })
  })

  test('none may be kept', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port), { idleMax: 0 })
    await ask(agent)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 0, connectionsOpen: 0 })
  })
})
