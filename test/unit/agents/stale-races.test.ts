import { expect, test } from 'bun:test'
import net from 'node:net'
import { createAgent } from '../../../src/agents/index.ts'
import { type Clock, delay, systemClock } from '../../../src/lib/index.ts'
import { seededRandom } from '../../support/house.ts'
import { plain } from '../../support/raw-server.ts'
import { backendAt, Probe, SETTINGS } from './probe.ts'

const REQUESTS = 1000
const LANES = 8
const CLOSE_MS_MAX = 5
const random = seededRandom(5)
const someMs = (): number => random.fraction() * CLOSE_MS_MAX

/** Time passes slowly where it is looked at: on a busy machine a close is told late, and the window of a resend is not what this is about. */
function unhurried(): Clock {
  const clock = systemClock()
  return { ...clock, monotonicUs: () => Math.round(clock.monotonicUs() / 50) }
}

/** Closes each connection up to 5 ms after an answer, but never once it has read a byte of the next request. */
async function hastyServer() {
  const executed = new Map<string, number>()
  const server = net.createServer({ noDelay: true }, (socket) => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const close = (): void => {
      socket.removeAllListeners('data') // it takes no more requests
      if (random.fraction() < 0.5) socket.end()
      else socket.destroy()
    }
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      if (timer !== null) clearTimeout(timer)
      const id = /^POST (\S+) /.exec(bytes.toString('latin1'))?.[1] ?? '' // a small request comes in one piece
      executed.set(id, (executed.get(id) ?? 0) + 1)
      socket.write(plain('yes'))
      timer = setTimeout(close, someMs())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { port: address.port, executed, [Symbol.dispose]: () => void server.close() }
}

test('1,000 POSTs to a server that closes right after its answers: all are answered, none runs twice', async () => {
  using server = await hastyServer()
  const clock = unhurried()
  const agent = createAgent({ backend: backendAt(server.port), settings: SETTINGS, clock })
  let sent = 0
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    while (sent < REQUESTS) {
      const end = await new Probe(agent, { target: `/${sent++}` }).ended.promise
      if (end.kind !== 'ended') failures.push(end)
      await delay(clock, someMs())
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const { resends, requestsOnKept } = agent.stats()
  agent.close()
  expect(failures).toEqual([])
  expect(server.executed.size).toBe(REQUESTS)
  expect([...server.executed.values()].filter((times) => times > 1)).toEqual([])
  expect(resends).toBeGreaterThan(0)
  expect(requestsOnKept).toBeGreaterThan(resends)
})
