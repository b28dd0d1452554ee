import { expect, test } from 'bun:test'
import { addressOf } from '../../../src/agents/address.ts'
import { Connection, NOBODY } from '../../../src/agents/connection.ts'
import { createResolver, type Resolved, type Resolver } from '../../../src/agents/resolver.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import { gate, rawServer } from '../../support/raw-server.ts'
import { agentOf, backendAt, Probe, until } from './probe.ts'

/** A connection to a server that says something, and closes, once it is told to; with all that is reported of it. */
async function dialled() {
  const told = gate()
  const server = await rawServer(async (peer) => {
    await told.opened
    await peer.write('nobody asked')
    peer.end()
    await peer.closed
  })
  const clock = fakeClock()
  const resolver = createResolver({ lookup: () => Promise.reject(new Error('no name is asked for')), clock })
  const reports: string[] = []
  const report = (what: string) => (): void => {
    reports.push(what)
  }
  const gone: Connection[] = []
  const connection = new Connection(
    {
      ...{ address: addressOf(backendAt(server.port)), clock, resolver, connectMs: 5000 },
      onGone: (one) => gone.push(one),
    },
    {
      ...{ opened: report('opened'), unsent: report('unsent'), data: report('data') },
      ...{ drained: report('drained'), finished: report('finished'), closed: report('closed') },
    },
  )
  return { connection, server, clock, reports, gone, tell: told.open }
}

test.each(['close', 'destroy'] as const)('%s: gone at once and once, and nothing more is told', async (how) => {
  const { connection, server, clock, reports, gone, tell } = await dialled()
  await using _ = server
  await until(() => connection.isOpen)
  expect([reports, gone, clock.timers]).toEqual([['opened'], [], 0])
  connection[how]()
  expect([connection.isOpen, connection.isGivenUp, connection.user === NOBODY]).toEqual([false, true, true])
  expect(gone).toEqual([connection])
  connection.close()
  connection.destroy()
  connection.settled()
  tell()
  await until(() => server.open === 0)
  expect([reports, gone.length]).toEqual([['opened'], 1])
})

test('one that the backend closes is told so and gone once, whoever ends it then', async () => {
  const { connection, server, reports, gone, tell } = await dialled()
  await using _ = server
  await until(() => connection.isOpen)
  tell()
  await until(() => reports.includes('closed'))
  connection.close()
  connection.destroy()
  await until(() => server.open === 0)
  expect(reports).toEqual(['opened', 'data', 'finished', 'closed'])
  expect(gone).toEqual([connection])
  expect(connection.write(Buffer.from('x'), 0, 1)).toBe(-1)
})

test('a dial that was given up is gone when the kernel has told how it went, once', async () => {
  const { connection, server, clock, reports, gone } = await dialled()
  await using _ = server
  connection.destroy()
  connection.close()
  expect([connection.isGivenUp, gone, clock.timers]).toEqual([true, [], 0])
  await until(() => gone.length > 0)
  connection.settled()
  expect([gone.length, reports]).toEqual([1, []])
  expect(connection.write(Buffer.from('x'), 0, 1)).toBe(-1)
})

test('one that is given up while its name is looked up is gone at once, and dials nothing when that comes', async () => {
  await using server = await rawServer(async () => {})
  const clock = fakeClock()
  const found = Promise.withResolvers<Resolved>()
  const resolver: Resolver = { find: () => found.promise, demote() {}, doubt() {} }
  const address = addressOf(backendAt(`http://named.test:${server.port}/v1`))
  const gone: Connection[] = []
  const onGone = (one: Connection): number => gone.push(one)
  const connection = new Connection({ address, clock, resolver, connectMs: 5000, onGone }, NOBODY)
  connection.destroy()
  expect(gone).toEqual([connection])
  found.resolve({ kind: 'addresses', ips: ['127.0.0.1'] })
  await settleMicrotasks()
  using other = agentOf(backendAt(server.port)) // dialled behind it: what is accepted by then is all there was
  const probe = new Probe(other)
  await until(() => server.accepted > 0)
  probe.exchange.abort()
  other.release(probe.slot)
  expect([server.accepted, gone.length, clock.timers]).toEqual([1, 1, 0])
})
