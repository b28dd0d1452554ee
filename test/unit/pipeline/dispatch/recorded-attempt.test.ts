import { describe, expect, spyOn, test } from 'bun:test'
import { timingOf } from '../../../support/exchange-timing.ts'
import { send, status } from '../../../support/script.ts'
import { finish, text } from '../../../support/sse.ts'
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

  test('that served after another: its model, the id that its provider gave it, and its own times for health', async () => {
    await using world = houseOf(2)
    world.agent('north').plays()
    const began = spyOn(world.house.health, 'contentBegan')
    const { call, ended } = dispatching(world, { stream: true })
    call.accountId = 'acc_test'
    world.clock.advanceUs(1000)
    world.agent('north').exchanges[0]?.play(status(500))
    const exchange = await world.agent('south').next()
    world.clock.advanceUs(500)
    const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'theirs' }
    exchange.play({ status: 200, headers }, text('Hello'))
    const end = await ended
    expect(call.attempts).toMatchObject([
      { number: 1, backend: 'north', startedUs: 0, endedUs: 1000 },
      { number: 2, backend: 'south', startedUs: 1000, endedUs: 1500, providerRequestId: 'theirs' },
    ])
    expect(Object.keys(call.attempts[0] ?? {})).not.toContain('providerRequestId')
    expect([call.model, call.backend]).toEqual(['acme/m', 'south'])
    expect(began.mock.calls).toMatchObject([[{ offer: 'south/acme/m', accountId: 'acc_test' }, 500]])
    if (end.kind !== 'streaming') throw new Error(end.kind)
    expect(end.sent).toMatchObject({ offer: 'south/acme/m', accountId: 'acc_test', credential: { id: 'cred_south' } })
    end.live.attach({ events() {}, end() {}, broken() {} })
    exchange.play(finish(), { end: true })
    end.slot.agent.release(end.slot)
  })

  test.each([
    ['x-request-id', 'theirs', 'theirs'],
    ['request-id', 'theirs', 'theirs'],
    ['request-id', 'x'.repeat(129), 'x'.repeat(128)],
    ['cf-ray', 'theirs', undefined],
  ])('the id that its provider gave it: %s: %s', async (name, value, id) => {
    await using world = houseOf(1)
    world.agent('north').plays(status(500, {}, { [name]: value }))
    const { call, ended } = dispatching(world)
    await ended
    expect(call.attempts[0]?.providerRequestId).toBe(id)
  })

  test.each([
    ['nothing', 'free', true],
    ['the prompt', 'prompt', false],
  ] as const)(
    'whose caller left after it was sent whole and pays %s for that',
    async (_what, beforeContent, absorbed) => {
      await using world = houseOf(1, { money: { beforeContent } })
      const { call, ended } = dispatching(world)
      const exchange = await world.agent('north').next()
      exchange.written()
      call.leave.fire('client')
      await ended
      expect(call.attempts).toMatchObject([{ outcome: 'cancelled', absorbed }])
    },
  )

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

  test('the line in the log has all that the record has, and why; of who wants nothing kept no word', async () => {
    for (const keepsNothing of [false, true]) {
      await using world = houseOf(1)
      const { call, ended } = dispatching(world)
      Object.assign(call, { keepsNothing })
      const exchange = await world.agent('north').next()
      world.clock.advanceUs(1500)
      exchange.play({ status: 400 }, send('{"error":{"message":"their words","code":"their code"}}'), { end: true })
      await ended
      const [line] = world.logs.filter(({ event }) => event === 'attempt')
      expect(line?.fields).toMatchObject({
        number: 1,
        offer: 'north/acme/m',
        outcome: 'refused',
        status: 400,
        us: 1500,
        connection: 'new',
      })
      expect(JSON.stringify(line).includes('their')).toBe(!keepsNothing)
    }
  })

  test('a failure of ours or of the network says what it was', async () => {
    for (const keepsNothing of [false, true]) {
      await using world = houseOf(1)
      const { call, ended } = dispatching(world)
      Object.assign(call, { keepsNothing })
      ;(await world.agent('north').next()).fail('reset')
      await ended
      const [line] = world.logs.filter(({ event }) => event === 'attempt')
      expect(line?.fields.message).toBe(keepsNothing ? undefined : 'told to fail: reset')
      expect(call.attempts).toMatchObject([{ outcome: 'failed', reason: 'reset', status: null }])
    }
  })

  test('a plain answer clears the backend, with its tokens and its own time; one that was sent twice is absorbed', async () => {
    await using world = houseOf(2)
    world.agent('north').plays()
    const attemptEnded = spyOn(world.house.health, 'attemptEnded')
    const { call, ended } = dispatching(world)
    world.clock.advanceUs(1000)
    world.agent('north').exchanges[0]?.play(status(500))
    const exchange = await world.agent('south').next()
    spyOn(exchange, 'timing').mockReturnValue(timingOf('resent'))
    world.clock.advanceUs(500)
    exchange.play(PLAIN)
    await ended
    expect(attemptEnded.mock.lastCall).toMatchObject([
      { outcome: { kind: 'succeeded' }, sent: true, blame: 'cleared', answer: { tokens: 5, us: 500 } },
    ])
    expect(call.attempts.at(-1)).toMatchObject({ outcome: 'succeeded', absorbed: true })
  })
})
