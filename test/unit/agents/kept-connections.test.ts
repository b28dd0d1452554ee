import { describe, expect, test } from 'bun:test'
import { gate, plain, rawServer, type Script } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

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

/** Three connections whose answers come one by one, as their gates open; later ones tell the number of theirs. */
function threeConnections(headersOf: (number: number) => readonly string[] = () => []) {
  const gates = [gate(), gate(), gate()]
  const answer: Script = async (peer) => {
    for (;;) {
      await peer.request()
      await gates[peer.number]?.opened
      await peer.write(plain(`${peer.number}`, { headers: headersOf(peer.number) }))
    }
  }
  const script: Script = (peer) => answer(peer).finally(() => peer.end())
  /** Uses all three; kept in the order of their numbers, each so long after the one before. */
  const use = async (agent: ReturnType<typeof agentOf>, apartMs = 1): Promise<void> => {
    const probes = [new Probe(agent), new Probe(agent), new Probe(agent)]
    for (const [at, { open }] of gates.entries()) {
      agent.clock.advance(apartMs)
      open()
      await until(() => probes.filter(({ reports }) => reports.includes('end')).length === at + 1)
    }
  }
  return { script, use }
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
    agent.clock.advance(1)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 0, connectionsOpen: 0 })
    await until(() => server.open === 0)
    agent.clock.advance(500)
    expect(agent.clock.timers).toBe(0)
  })

  test('more than may be kept: the one that has rested longest is closed', async () => {
    const { script, use } = threeConnections()
    await using server = await rawServer(script)
    using agent = agentOf(backendAt(server.port), { idleMax: 2 })
    await use(agent)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 2, connectionsOpen: 2, connectionsOpened: 3 })
    expect(await Promise.all([ask(agent), ask(agent)])).toMatchObject([{ body: '2' }, { body: '1' }])
  })

  test('so is it where another needs the place', async () => {
    const { script, use } = threeConnections()
    await using server = await rawServer(script)
    using agent = agentOf(backendAt(server.port))
    await use(agent)
    agent.closeLongestIdle()
    await until(() => server.open === 2)
    expect(await Promise.all([ask(agent), ask(agent)])).toMatchObject([{ body: '2' }, { body: '1' }])
  })

  test('one whose life has just ended is closed, and the one that was used last before it is taken', async () => {
    const { script, use } = threeConnections((number) => (number === 2 ? ['keep-alive: timeout=2'] : []))
    await using server = await rawServer(script)
    using agent = agentOf(backendAt(server.port))
    await use(agent, 50) // at 50, 100 and 150: nobody looks when the third one's second is over
    agent.clock.advance(1000)
    expect(agent.stats().connectionsIdle).toBe(3)
    expect(await ask(agent)).toMatchObject({ body: '1' })
    await until(() => server.open === 2)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 2, connectionsOpen: 2 })
  })

  test('what the backend closes tells how long connections live there', async () => {
    let close = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
      await close.opened
      peer.end()
    })
    using agent = agentOf(backendAt(server.port))
    for (const known of [null, null, 4000]) {
      close = gate()
      await ask(agent)
      agent.clock.advance(5000)
      close.open()
      await until(() => agent.stats().connectionsOpen === 0)
      expect(agent.stats().path.learnedIdleMs).toBe(known)
    }
    close = gate()
    await ask(agent)
    agent.clock.advance(3999)
    expect(agent.stats().connectionsIdle).toBe(1)
    agent.clock.advance(501)
    expect(agent.stats().connectionsIdle).toBe(0)
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
