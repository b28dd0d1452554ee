import { describe, expect, test } from 'bun:test'
import { measurePath } from '../../../src/agents/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { always, plain, rawServer } from '../../support/raw-server.ts'
import { backendAt, SETTINGS, until } from './probe.ts'

const key = (secret: string) => [['authorization', `Bearer ${secret}`]] as const

describe('measurePath', () => {
  test('a new connection, then the same one; each call shows what it is told to', async () => {
    await using server = await rawServer(always(plain('yes')))
    const calls = [[], key('a'), key('b')]
    const measured = await measurePath({
      backend: backendAt(server.port),
      settings: SETTINGS,
      clock: fakeClock(),
      calls,
    })
    expect(measured).toMatchObject([
      { kind: 'answered', status: 200, timing: { connection: 'new', connectUs: 0, tlsUs: null } },
      { kind: 'answered', status: 200, timing: { connection: 'kept', connectUs: null } },
      { kind: 'answered', status: 200, timing: { connection: 'kept' } },
    ])
    expect(server.accepted).toBe(1)
    expect(server.requests.map(({ head }) => head.split('\r\n').at(-1))).toEqual([
      'user-agent: anyrouter',
      'authorization: Bearer a',
      'authorization: Bearer b',
    ])
  })

  test('a backend that is not there ends it', async () => {
    const server = await rawServer(always(plain('yes')))
    await server[Symbol.asyncDispose]()
    const measured = await measurePath({
      backend: backendAt(server.port),
      settings: SETTINGS,
      clock: fakeClock(),
      calls: [[], []],
    })
    expect(measured).toMatchObject([{ kind: 'unanswered', reason: 'connect' }])
  })

  test('one that does not answer is given ten seconds, and left', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.closed
    })
    const clock = fakeClock()
    const measured = measurePath({ backend: backendAt(server.port), settings: SETTINGS, clock, calls: [[], []] })
    await until(() => server.requests.length === 1)
    clock.advance(10_000)
    expect(await measured).toEqual([{ kind: 'unanswered', reason: 'timeout', message: 'no whole answer within 10 s' }])
    expect(clock.timers).toBe(0)
  })
})
