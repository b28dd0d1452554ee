import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import net from 'node:net'
import { AddressRace } from '../../../src/agents/address-race.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { until } from './probe.ts'

/** Listens on all loopback addresses, 127.0.0.1 to 127.255.255.254. */
const open = new Set<net.Socket>()
const accepted: string[] = []
const server = net.createServer((socket) => {
  accepted.push(socket.localAddress ?? '')
  open.add(socket)
  socket.on('close', () => open.delete(socket))
  socket.on('error', () => {})
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const address = server.address()
  port = typeof address === 'object' ? (address?.port ?? 0) : 0
})
afterAll(() => {
  server.close()
})

interface Seen {
  readonly race: AddressRace
  readonly clock: FakeClock
  readonly reports: string[]
  readonly slow: string[]
  end(): Promise<void>
}

function race(...ips: string[]): Seen {
  accepted.length = 0
  const clock = fakeClock()
  const reports: string[] = []
  const slow: string[] = []
  let close = (): void => {}
  const user = {
    won(socket: { terminate(): void }, ip: string, roundTripUs: number) {
      reports.push(`won ${ip} ${roundTripUs}`)
      close = () => socket.terminate()
    },
    lost: (message: string) => reports.push(`lost ${message.replace(/:.*/, '')}`),
    settled: () => reports.push('settled'),
  }
  const options = { ips, port, tls: null, clock, onSlow: (ip: string) => slow.push(ip) }
  const end = async (): Promise<void> => {
    close()
    await until(() => open.size === 0)
  }
  return { race: new AddressRace(options, user), clock, reports, slow, end }
}

const REFUSED = '127.0.0.1:refused'

describe('a race', () => {
  test('the first address answers: no other is dialled', async () => {
    const { reports, clock, slow, end } = race('127.0.0.2', '127.0.0.3')
    await until(() => reports.length === 2)
    clock.advance(1000)
    expect(reports).toEqual(['won 127.0.0.2 0', 'settled'])
    expect(clock.timers).toBe(0)
    expect(slow).toEqual([])
    await end()
    expect(accepted).toEqual(['127.0.0.2'])
  })

  test('one that refuses is followed by the next at once', async () => {
    const { reports, slow, clock, end } = race('::1', '127.0.0.3') // nothing listens on ::1
    await until(() => reports.length === 2)
    expect(reports).toEqual(['won 127.0.0.3 0', 'settled'])
    expect(slow).toEqual(['::1'])
    expect(clock.timers).toBe(0)
    await end()
  })

  test('one that says nothing for 250 ms is followed by the next; one stays, the other is closed', async () => {
    const { reports, slow, clock, end } = race('127.0.0.2', '127.0.0.3', '127.0.0.4')
    clock.advance(249)
    expect(clock.timers).toBe(1)
    clock.advance(1)
    await until(() => reports.length === 2 && open.size === 1)
    expect(accepted.toSorted()).toEqual(['127.0.0.2', '127.0.0.3'])
    const [, winner] = reports[0]?.split(' ') ?? []
    expect(reports).toEqual([`won ${winner} ${winner === '127.0.0.2' ? 250_000 : 0}`, 'settled'])
    expect(slow).toEqual(winner === '127.0.0.2' ? [] : ['127.0.0.2'])
    await end()
  })

  test('all refuse: lost, once', async () => {
    const { reports, slow, clock } = race('::1', '::1')
    await until(() => reports.length === 2)
    expect(reports).toEqual([expect.stringMatching(/^lost E[A-Z]+$/), 'settled']) // refused; a machine without IPv6 has another word
    expect(slow).toEqual(['::1', '::1'])
    expect(clock.timers).toBe(0)
  })

  test('what cannot be dialled at all is refused too', async () => {
    const { reports } = race(REFUSED)
    expect(reports).toEqual([])
    await until(() => reports.length === 2)
    expect(reports).toEqual([expect.stringMatching(/^lost /), 'settled'])
  })

  test('left: what comes later is closed and not told', async () => {
    const { race: left, reports, clock } = race('127.0.0.2', '127.0.0.3')
    left.leave()
    expect(left.isSettled).toBe(false)
    expect(clock.timers).toBe(0)
    await until(() => reports.length === 1 && accepted.length === 1 && open.size === 0)
    expect(reports).toEqual(['settled'])
    expect(left.isSettled).toBe(true)
  })
})
