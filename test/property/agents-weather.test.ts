import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ConnectionRoom } from '../../src/agents/connection-room.ts'
import { createAgent } from '../../src/agents/index.ts'
import { type Clock, systemClock } from '../../src/lib/index.ts'
import { Hangup, type Peer, plain, rawServer } from '../support/raw-server.ts'
import { makeCertificates } from '../unit/agents/certificates.ts'
import { backendAt, Probe, SETTINGS, until } from '../unit/agents/probe.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const { caPem, good } = makeCertificates()

/** What a server does with a request of this name. */
const SERVERS = {
  answers: (peer: Peer, id: string) => peer.write(plain(id)),
  interim: (peer: Peer, id: string) => peer.write(`HTTP/1.1 100 Continue\r\n\r\n${plain(id)}`),
  chunks: (peer: Peer, id: string) =>
    peer.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${id.length.toString(16)}\r\n${id}\r\n0\r\n\r\n`),
  large: (peer: Peer, id: string) => peer.write(plain(id.padEnd(300_000))),
  says_close: (peer: Peer, id: string) => peer.write(plain(id, { headers: ['connection: close'] })),
  ends: async (peer: Peer, id: string) => {
    await peer.write(plain(id))
    peer.end()
  },
  until_end: async (peer: Peer, id: string) => {
    await peer.write(`HTTP/1.1 200 OK\r\n\r\n${id}`)
    peer.end()
  },
  resets: async (peer: Peer, id: string) => {
    await peer.write(plain(id))
    peer.reset()
  },
  cuts: async (peer: Peer) => {
    await peer.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
    peer.end()
  },
  drops: async (peer: Peer) => peer.reset(),
  babbles: (peer: Peer) => peer.write('HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n'),
  stalls: (peer: Peer) => peer.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  is_silent: async () => {},
} as const
type Weather = keyof typeof SERVERS
const names = Object.keys(SERVERS) as Weather[]
const isWeather = (name: string | undefined): name is Weather => names.some((known) => known === name)
/** Nothing ends these but the caller. */
const ENDLESS: readonly Weather[] = ['stalls', 'is_silent']
/** An answer comes of these, whole: what a reset overtakes may be lost. */
const GOOD: readonly Weather[] = ['answers', 'interim', 'chunks', 'large', 'says_close', 'ends', 'until_end']

const request = fc.record({
  weather: fc.constantFrom(...names),
  caller: fc.constantFrom('waits', 'pauses', 'leaves at once', 'leaves at the head'),
  body: fc.constantFrom('small', 'large', 'upload'),
  rests: fc.boolean(),
})
type Asked = typeof request extends fc.Arbitrary<infer Value> ? Value : never

/** The system's, which knows how many timers are set. Time passes slowly where it is looked at: when a close is told is not what this is about. */
function countedClock(): Clock & { readonly timers: number } {
  const system = systemClock()
  const set = new Set<symbol>()
  return {
    ...system,
    monotonicUs: () => Math.round(system.monotonicUs() / 50),
    after(ms, callback) {
      const timer = Symbol()
      set.add(timer)
      const cancel = system.after(ms, () => {
        set.delete(timer)
        callback()
      })
      return () => {
        set.delete(timer)
        cancel()
      }
    },
    get timers() {
      return set.size
    },
  }
}

async function serve(peer: Peer): Promise<void> {
  try {
    for (;;) {
      const { head } = await peer.request()
      const [, weather, id = ''] = /^POST \/([a-z_]+)\/(\d+) /.exec(head) ?? []
      if (isWeather(weather)) await SERVERS[weather](peer, id)
    }
  } catch (error) {
    if (!(error instanceof Hangup)) throw error
    peer.end()
  }
}

test.each(['plain', 'TLS'])(
  '%s: whatever servers and callers do, each request has its own answer or one end, and nothing is left behind',
  async (kind) => {
    const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (all) => {
      await using server = await rawServer(serve, kind === 'TLS' ? good : undefined)
      const at = kind === 'TLS' ? `https://localhost:${server.port}/v1` : server.port
      const clock = countedClock()
      const room = new ConnectionRoom(100)
      const agent = createAgent({ backend: backendAt(at, { caPem }), settings: SETTINGS, clock, room })
      const asking: Promise<void>[] = []
      for (const [id, asked] of all.entries()) {
        const ended = ask(agent, asked, String(id))
        asking.push(ended)
        if (asked.rests) await ended
      }
      await Promise.all(asking)
      agent.close()
      await until(() => room.taken === 0 && server.open === 0)
      expect(agent.stats()).toMatchObject({
        slotsTaken: 0,
        connectionsOpen: 0,
        connectionsDialling: 0,
        connectionsIdle: 0,
      })
      expect(clock.timers).toBe(0)
    })
    await fc.assert(property, {
      numRuns: Math.ceil(RUNS / 4),
      interruptAfterTimeLimit: 9000,
      timeout: 8000, // of one run: nothing may hang
      markInterruptAsFailure: false,
    })
  },
  60_000,
)

async function ask(
  agent: ReturnType<typeof createAgent>,
  { weather, caller, body, rests: _ }: Asked,
  id: string,
): Promise<void> {
  const pieces = [Buffer.from('rest')]
  const sent = Buffer.alloc(body === 'large' ? 2_000_000 : 10, 'x')
  const rest = { bodyBytes: sent.length + 4, read: async () => pieces.shift() ?? null }
  const probe: Probe = new Probe(
    agent,
    { target: `/${weather}/${id}`, body: sent, ...(body === 'upload' ? { rest } : {}) },
    {
      onHead: () => {
        if (caller === 'leaves at the head') leave()
      },
      onBody: () => {
        if (caller !== 'pauses') return
        probe.exchange.pause()
        setImmediate(() => probe.exchange.resume())
      },
    },
  )
  let hasLeft = false
  const left = Promise.withResolvers<null>()
  function leave(): void {
    hasLeft = true
    probe.exchange.abort()
    agent.release(probe.slot)
    left.resolve(null)
  }
  if (caller === 'leaves at once') leave()
  else if (ENDLESS.includes(weather)) {
    await until(() => hasLeft || probe.reports.length > 0 || probe.exchange.sentCompletely)
    if (!hasLeft && !probe.reports.includes('failure')) leave()
  }
  const end = await Promise.race([left.promise, probe.ended.promise])
  if (hasLeft) {
    expect(probe.reports.filter((report) => report !== 'head')).toEqual(
      caller === 'leaves at once' ? [] : expect.anything(),
    )
    return
  }
  expect(probe.reports.filter((report) => report === 'end' || report === 'failure')).toHaveLength(1)
  if (end?.kind === 'ended') expect([weather, end.body.trimEnd()]).toEqual([weather, id])
  else expect([weather, GOOD.includes(weather) && body !== 'upload' ? end : null]).toEqual([weather, null])
}
