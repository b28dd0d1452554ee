import { describe, expect, test } from 'bun:test'
import { always, gate, plain, rawServer, type Script } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, isAtRest, Probe, rest, until, WARM } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const

const pinged = (head: string): boolean => head.startsWith('GET ')

/** Answers requests; pings go to `onPing`. */
const serving =
  (onPing: (peer: Parameters<Script>[0]) => Promise<void> | void): Script =>
  async (peer) => {
    for (;;) {
      const { head } = await peer.request()
      if (pinged(head)) await onPing(peer)
      else await peer.write(plain('yes'))
    }
  }

describe('pings', () => {
  test('after 100 s of rest a request finds the connection open; the pings are free GETs of the models, and no requests', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port), WARM)
    await ask(agent)
    await rest(agent, 100_000)
    expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(1)
    const { path, requestsSent, requestsOnKept } = agent.stats()
    expect({ requestsSent, requestsOnKept }).toEqual({ requestsSent: 2, requestsOnKept: 1 })
    expect(path).toMatchObject({ isKeptWarm: true, pings: 6, pingsFailed: 0, pingState: 'on' })
    expect(path.lastPing).toMatchObject({ result: 'answered', status: 200, tookUs: 0 })
    const pings = server.requests.filter(({ head }) => pinged(head))
    expect(pings).toHaveLength(6)
    expect(pings[0]?.head.split('\r\n')).toEqual([
      'GET /v1/models HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'accept: application/json',
      'accept-encoding: identity',
      'user-agent: anyrouter',
    ])
  })

  test('the backend’s own Keep-Alive sets the pace: a server that closes after 5 s is reached after 100 s', async () => {
    await using server = await rawServer(always(plain('yes', { headers: ['keep-alive: timeout=5'] })))
    using agent = agentOf(backendAt(server.port), WARM)
    await ask(agent)
    await rest(agent, 100_000)
    await ask(agent)
    expect(server.accepted).toBe(1)
  })

  test('they end some time after the last request, and so does all else', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port), { ...WARM, keepWarmMs: 60_000 })
    await ask(agent)
    await rest(agent, 60_000)
    const { pings } = agent.stats().path
    expect(pings).toBeGreaterThan(2)
    await rest(agent, 60_000)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, path: { pings, isKeptWarm: false } })
    expect(agent.clock.timers).toBe(0)
  })

  test('any status is a path that is alive', async () => {
    await using server = await rawServer(serving((peer) => peer.write(plain('no', { status: '401 Unauthorized' }))))
    using agent = agentOf(backendAt(server.port), WARM)
    await ask(agent)
    await rest(agent, 40_000)
    expect(agent.stats().path).toMatchObject({ pings: 2, pingsFailed: 0, lastPing: { status: 401 } })
    expect(server.accepted).toBe(1)
  })

  test.each<[string, Parameters<typeof serving>[0]]>([
    ['by its answer', (peer) => peer.write(plain('yes', { headers: ['connection: close'] }))],
    ['without one', (peer) => peer.end()],
  ])(
    'one that costs its connection twice, %s, is left off for ten minutes, and connections are kept open without',
    async (_name, onPing) => {
      await using server = await rawServer(serving(onPing))
      using agent = agentOf(backendAt(server.port), { ...WARM, keepWarmMs: 1_200_000 })
      await ask(agent)
      await rest(agent, 40_000)
      expect(agent.stats().path).toMatchObject({ pings: 2, pingState: 'costly' })
      await rest(agent, 200_000)
      expect(agent.stats().path.pings).toBe(2)
      await until(() => agent.stats().connectionsIdle === 1)
      await ask(agent)
      expect(agent.stats().requestsOnKept).toBe(1)
      agent.clock.advance(600_000)
      expect(agent.stats().path.pingState).toBe('on')
    },
  )

  test('a backend that is never pinged is kept warm all the same: a connection is replaced before its life ends', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf({ ...backendAt(server.port), ping: null }, { ...WARM, idleMs: 10_000 })
    await ask(agent)
    for (let passed = 0; passed < 60; passed++) {
      agent.clock.advance(500)
      expect(agent.stats().connectionsOpen).toBeGreaterThanOrEqual(1)
      await until(() => isAtRest(agent.stats()))
    }
    await ask(agent)
    expect(agent.stats()).toMatchObject({ requestsOnKept: 1, path: { pings: 0, pingState: 'off' } })
  })

  test('of several that are kept warm each has its turn, spread over the time', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port), { ...WARM, warm: 3 })
    await Promise.all([ask(agent), ask(agent), ask(agent)])
    const pings: number[] = []
    for (let second = 0; second <= 30; second += 5) {
      pings.push(agent.stats().path.pings)
      await rest(agent, 5000)
    }
    expect(pings).toEqual([0, 0, 0, 1, 2, 3, 4])
  })

  test('a silent one counts as a dead path: no idle connection is used before it has answered, and a new one takes its place', async () => {
    let isDead = false
    const late: Parameters<Script>[0][] = []
    await using server = await rawServer(async (peer) => {
      const wasDead = isDead
      for (;;) {
        await peer.request()
        if (isDead && !wasDead) late.push(peer)
        else await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port), WARM)
    await Promise.all([ask(agent), ask(agent), ask(agent)])
    isDead = true
    agent.clock.advance(15_000)
    await until(() => late.length === 1)
    expect(agent.stats().connectionsIdle).toBe(2)
    agent.clock.advance(1000)
    await until(() => late.length === 3) // the other two are in doubt
    expect(agent.stats().connectionsIdle).toBe(0)
    expect(await ask(agent)).toEqual(OK) // on a new one
    agent.clock.advance(1000)
    await until(() => server.open === agent.stats().connectionsOpen)
    expect(agent.stats().path).toMatchObject({ pings: 3, pingsFailed: 3, lastPing: { result: 'silent' } })
    expect(late).toHaveLength(3)
  })

  test('a request that comes during a ping does not wait for it, and takes its connection if that is free first', async () => {
    const answer = gate()
    await using server = await rawServer(
      serving(async (peer) => {
        await answer.opened
        await peer.write(plain('yes'))
      }),
    )
    using agent = agentOf(backendAt(server.port), WARM)
    await ask(agent)
    agent.clock.advance(15_000)
    await until(() => server.requests.length === 2)
    expect(agent.stats().connectionsIdle).toBe(0)
    expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(2)
    answer.open()
    await until(() => agent.stats().connectionsIdle === 2)
  })

  test('none while every slot is taken', async () => {
    const busy = gate()
    await using server = await rawServer(async (peer) => {
      for (;;) {
        const { head } = await peer.request()
        if (head.includes('/busy')) await busy.opened
        await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port, { slots: 2 }), WARM)
    await Promise.all([ask(agent), ask(agent)])
    const probe = new Probe(agent, { target: '/busy' })
    const slot = agent.take()
    agent.clock.advance(20_000)
    expect(agent.stats().path.pings).toBe(0)
    if (slot !== null) agent.release(slot)
    agent.clock.advance(500)
    await until(() => agent.stats().path.lastPing !== null)
    busy.open()
    await probe.ended.promise
  })
})
