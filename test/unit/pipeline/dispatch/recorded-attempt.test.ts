import { describe, expect, test } from 'bun:test'
import { status } from '../../../support/script.ts'
import { dispatching, houseOf, PLAIN } from './dispatch-kit.ts'

describe('what is written down of an attempt', () => {
  test('that served: its place, its credential, its time', async () => {
    await using world = houseOf(1)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    world.clock.advanceUs(1500)
    exchange.play(PLAIN)
    await ended
    expect(call.attempts).toMatchObject([
      {
        number: 1,
        offer: 'north/acme/m',
        backend: 'north',
        credential: 'cred_north',
        outcome: 'succeeded',
        reason: null,
        status: 200,
        startedUs: 0,
        endedUs: 1500,
        absorbed: false,
      },
    ])
    expect(world.logs).toEqual([])
  })

  test.each([
    ['it timed out after it was sent whole', 'idle_timeout', true, true],
    ['it timed out before', 'idle_timeout', false, false],
    ['it was cut after it was sent whole', 'reset', true, true],
    ['it was cut before', 'reset', false, false],
    ['its answer was no HTTP', 'framing', true, false],
  ] as const)('whether it may have cost without serving: %s', async (_name, reason, sent, absorbed) => {
    await using world = houseOf(1)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    if (sent) exchange.written()
    exchange.fail(reason)
    await ended
    expect(call.attempts).toMatchObject([{ outcome: 'failed', reason, absorbed }])
    expect(call.attempts[0]?.possibleCost).toBeUndefined() // what the provider bills is not known
  })

  test('that did not serve has its line in the log: whose trouble it is, and no secret', async () => {
    await using world = houseOf(1)
    world.agent('north').plays(status(401, { error: { message: 'Incorrect API key: sk-provider-north', code: 'bad' } }))
    const { call, ended } = dispatching(world)
    await ended
    expect(world.logs.filter(({ event }) => event === 'attempt')).toMatchObject([
      {
        level: 'warn',
        event: 'attempt',
        fields: {
          request_id: call.requestId,
          backend: 'north',
          credential: 'cred_north',
          outcome: 'denied',
          reason: 'bad',
          status: 401,
          blame: 'credential',
        },
      },
    ])
    expect(JSON.stringify(world.logs)).not.toContain('sk-provider')
  })
})
