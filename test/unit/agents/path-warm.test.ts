import { describe, expect, test } from 'bun:test'
import type { Resolved, Resolver } from '../../../src/agents/resolver.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, isAtRest, Probe, rest, until, WARM } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const

describe('warm connections', () => {
  test('a fallback that was only planned finds one open', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port), WARM)
    agent.keepWarm()
    await until(() => agent.stats().connectionsIdle === 1)
    await rest(agent, 100_000)
    const probe = new Probe(agent)
    await probe.ended.promise
    expect(probe.exchange.timing()).toMatchObject({ connection: 'kept', connectUs: null, tlsUs: null })
    expect(server.accepted).toBe(1)
  })

  test('so many as are asked for, never more than slots; each is replaced before its age ends it', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port, { slots: 4 }), { ...WARM, warm: 9, ageMaxMs: 30_000 })
    agent.keepWarm()
    await until(() => agent.stats().connectionsIdle === 4)
    using three = agentOf(backendAt(server.port), { ...WARM, warm: 3, ageMaxMs: 30_000 })
    three.keepWarm()
    await until(() => three.stats().connectionsIdle === 3)
    for (let n = 0; n < 70; n++) {
      agent.clock.advance(500)
      const { connectionsDialling, connectionsOpen } = agent.stats()
      expect(connectionsDialling + connectionsOpen).toBeLessThanOrEqual(4)
      await until(() => isAtRest(agent.stats()))
    }
    for (let n = 0; n < 70; n++) {
      three.clock.advance(500)
      expect(three.stats().connectionsOpen).toBeGreaterThanOrEqual(3) // before any dial of this moment has come to something
      await until(() => isAtRest(three.stats()))
    }
    expect(three.stats().connectionsOpened).toBe(6)
  })

  test('a backend that cannot be reached is tried ever more seldom', async () => {
    const dials: number[] = []
    const resolver: Resolver = {
      find() {
        dials.push((agent.clock.monotonicUs() - beganUs) / 1_000_000)
        return { kind: 'failed', reason: 'dns', message: 'no such name' }
      },
      demote() {},
      doubt() {},
    }
    using agent = agentOf(backendAt('http://nowhere.example/v1'), WARM, { resolver })
    const beganUs = agent.clock.monotonicUs()
    agent.keepWarm()
    await settleMicrotasks()
    for (let second = 0; second < 200; second++) {
      agent.clock.advance(1000)
      await settleMicrotasks()
    }
    expect(dials).toEqual([0, 2, 6, 14, 30, 62, 122, 182])
  })

  test('nor is one that closes what was never used', async () => {
    await using server = await rawServer(async (peer) => peer.end())
    using agent = agentOf(backendAt(server.port), WARM)
    agent.keepWarm()
    for (let second = 0; second < 30; second++) {
      await until(() => {
        const { connectionsDialling, connectionsOpen } = agent.stats()
        return connectionsDialling + connectionsOpen === 0
      })
      agent.clock.advance(1000)
    }
    expect(server.accepted).toBe(3) // at once, and every ten seconds
  })

  test('one that has served is replaced at the next look when the backend closes it', async () => {
    let close = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
      await close.opened
      peer.end()
    })
    using agent = agentOf({ ...backendAt(server.port), ping: null }, WARM)
    await ask(agent)
    close.open()
    await until(() => agent.stats().connectionsOpen === 0)
    close = gate()
    agent.clock.advance(500)
    await until(() => agent.stats().connectionsIdle === 1)
    expect(server.accepted).toBe(2)
  })

  test('none is opened by an agent that has ended or was retired', async () => {
    await using server = await rawServer(always(plain('yes')))
    using closed = agentOf(backendAt(server.port), WARM)
    closed.close()
    closed.keepWarm()
    using retired = agentOf(backendAt(server.port), WARM)
    retired.keepWarm()
    retired.retire()
    retired.keepWarm()
    for (const agent of [closed, retired]) {
      agent.clock.advance(60_000)
      expect(agent.clock.timers).toBe(0)
      expect(agent.stats()).toMatchObject({ connectionsOpen: 0, path: { isKeptWarm: false } })
    }
    retired.revive()
    retired.keepWarm()
    await until(() => retired.stats().connectionsIdle === 1)
  })

  test('one that was opened ahead is left to its request when the agent is retired', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port), WARM)
    agent.keepWarm()
    await until(() => agent.stats().connectionsIdle === 1)
    const probe = new Probe(agent)
    await until(() => server.requests.length === 1)
    agent.retire()
    answer.open()
    expect(await probe.ended.promise).toEqual(OK)
    expect(server.accepted).toBe(1)
  })

  test('one that is back opens nothing ahead until it is wanted anew', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port), { ...WARM, warm: 2 })
    const probe = new Probe(agent)
    await until(() => server.requests.length === 1)
    agent.retire()
    agent.revive()
    answer.open()
    await probe.ended.promise
    agent.clock.advance(1000)
    expect(agent.stats()).toMatchObject({ connectionsDialling: 0, connectionsOpen: 1, path: { isKeptWarm: false } })
    agent.keepWarm()
    agent.clock.advance(500)
    expect(agent.stats().path.isKeptWarm).toBe(true)
    await until(() => agent.stats().connectionsIdle === 2)
  })

  test('a dial that was left to a retired agent ends with it', async () => {
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        await peer.write(plain('yes'))
      }
    })
    const known: Resolved = { kind: 'addresses', ips: ['127.0.0.1'] }
    let asked = 0
    const resolver: Resolver = {
      find: () => (asked++ === 0 ? known : new Promise<Resolved>(() => {})),
      demote() {},
      doubt() {},
    }
    using agent = agentOf(backendAt(`http://named.test:${server.port}/v1`), {}, { resolver })
    const probes = [new Probe(agent), new Probe(agent)]
    for (const probe of probes) expect(await probe.ended.promise).toEqual(OK)
    expect(agent.stats()).toMatchObject({ connectionsDialling: 1, requestsOnKept: 1 })
    agent.retire()
    expect(agent.stats()).toMatchObject({ connectionsDialling: 0, connectionsOpen: 0 })
  })

  test('a connection that was opened ahead and closed meanwhile is resent from, once', async () => {
    await using server = await rawServer(async (peer) => {
      if (peer.number === 0) {
        await peer.request()
        peer.reset()
        return
      }
      await always(plain('yes'))(peer)
    })
    using agent = agentOf(backendAt(server.port), WARM)
    agent.keepWarm()
    await until(() => agent.stats().connectionsIdle === 1)
    expect(await ask(agent)).toEqual(OK)
    expect(agent.stats().resends).toBe(1)
  })
})

test('a connection that becomes free is handed to a request whose own still dials; that one is kept', async () => {
  await using server = await rawServer(always(plain('yes')))
  using agent = agentOf(backendAt(server.port), WARM)
  const late: Probe[] = []
  await new Probe(agent, {}, { onHead: () => late.push(new Probe(agent)) }).ended.promise
  expect(await late[0]?.ended.promise).toEqual(OK)
  expect(late[0]?.exchange.timing()).toMatchObject({ connection: 'kept', connectUs: 0 })
  await until(() => agent.stats().connectionsIdle === 2)
  expect(server.requests).toHaveLength(2)
  expect(agent.stats()).toMatchObject({ connectionsOpened: 2, requestsOnKept: 1 })
})
