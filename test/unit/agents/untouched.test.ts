import { expect, test } from 'bun:test'
import { ActiveExchange } from '../../../src/agents/active-exchange.ts'
import { addressOf } from '../../../src/agents/address.ts'
import { Connection, type ConnectionUser } from '../../../src/agents/connection.ts'
import type { ExchangeHost } from '../../../src/agents/exchange-host.ts'
import type { Outgoing } from '../../../src/agents/outbox.ts'
import { writeRequestHead } from '../../../src/agents/request-head.ts'
import { createResolver } from '../../../src/agents/resolver.ts'
import type { ConnectionUse } from '../../../src/domain/index.ts'
import { systemClock } from '../../../src/lib/index.ts'
import { gate, type Peer, plain, rawServer } from '../../support/raw-server.ts'
import { backendAt, until } from './probe.ts'

const clock = systemClock()
const resolver = createResolver({ lookup: () => Promise.reject(new Error('no name is asked for')), clock })

/** Waits until it is open. */
function opened(dial: (user: ConnectionUser) => Connection): Promise<Connection> {
  const none = (): void => {}
  return new Promise((resolve, reject) => {
    const unsent = (): void => reject(new Error('no connection'))
    dial({ opened: resolve, unsent, data: none, drained: none, finished: none, closed: none })
  })
}

/** A request gets a kept connection on which `act` is played before the request is written, at the end of its tick. */
async function untouched(act: (peer: Peer) => unknown) {
  const taken = gate()
  await using server = await rawServer(async (peer) => {
    if (peer.number === 0) {
      await taken.opened
      await act(peer)
    }
    await peer.request()
    await peer.write(plain('yes'))
  })
  const address = addressOf(backendAt(server.port))
  let dialled = 0
  const dial = (user: ConnectionUser): Connection => {
    dialled++
    return new Connection({ address, clock, resolver, connectMs: 5000, onGone: () => {} }, user)
  }
  const kept = [await opened(dial)]
  const waiting: Outgoing[] = []
  const counted: ConnectionUse[] = []
  const host: ExchangeHost = {
    clock,
    takeKept: () => kept.pop() ?? null,
    writeSoon: (exchange) => waiting.push(exchange),
    dial: (_ms, user) => dial(user),
    awaits: () => {},
    awaitsNoMore: () => {},
    adopt: (connection) => connection.destroy(),
    giveBack: (connection) => connection.close(),
    lost: () => {},
    count: (use) => counted.push(use),
    opened: () => {},
    noteFirstByte: () => {},
  }
  const request = {
    method: 'POST',
    target: '/v1',
    headers: [],
    body: Buffer.from('{}'),
    limits: { connectMs: 5000, idleMs: 5000 },
    resend: 'never',
  } as const
  const { promise, resolve } = Promise.withResolvers<string>()
  let body = ''
  const exchange = new ActiveExchange(host, request, writeRequestHead('one', request), {
    head: () => {},
    body: (bytes) => {
      body += Buffer.from(bytes)
    },
    end: () => resolve(body),
    failure: ({ message }) => resolve(message),
  })
  exchange.start()
  taken.open()
  await until(() => dialled === 2 && waiting.length === 2)
  for (const outgoing of waiting) outgoing.writeNow()
  return { answer: await promise, counted, timing: exchange.timing(), requests: server.requests.length }
}

test.each([
  ['says something', (peer: Peer) => peer.write(plain('an older answer'))],
  ['ends', (peer: Peer) => peer.end()],
  ['is reset', (peer: Peer) => peer.reset()],
])(
  'a kept connection that %s before a request is written on it is not used, and nothing counts as sent twice',
  async (_name, act) => {
    const { answer, counted, timing, requests } = await untouched(act)
    expect(answer).toBe('yes')
    expect(counted).toEqual(['new'])
    expect(timing).toMatchObject({ connection: 'new', connectionAgeMs: expect.any(Number) })
    expect(requests).toBe(1)
  },
)
