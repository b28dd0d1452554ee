import { describe, expect, test } from 'bun:test'
import { dispatch } from '../../../../src/pipeline/dispatch/dispatch.ts'
import type { Upload } from '../../../../src/pipeline/upload.ts'
import { createHouseDouble, type HouseSpec, MODEL } from '../../../support/house.ts'
import { html, json, reset, status } from '../../../support/script.ts'
import { role, text } from '../../../support/sse.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'
import { SSE_HEAD } from './attempt-kit.ts'
import { dispatching, errorOf, houseOf, NAMES, PLAIN, sentTo } from './dispatch-kit.ts'

describe('what serves', () => {
  test('the first candidate: its slot is back, its attempt is written down with its time', async () => {
    await using world = houseOf(2)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    world.clock.advanceUs(1500)
    exchange.play(PLAIN)
    const end = await ended
    expect(end).toMatchObject({ kind: 'answered', candidate: { offer: { backend: { id: 'north' } } } })
    expect(world.agent('north').stats().slotsTaken).toBe(0)
    expect(call.attempts).toMatchObject([
      {
        number: 1,
        backend: 'north',
        credential: 'cred_north',
        outcome: 'succeeded',
        reason: null,
        status: 200,
        startedUs: 0,
        endedUs: 1500,
      },
    ])
    expect(call.backend).toBe('north')
    expect(call.clock.read()).toMatchObject({
      upstreamUs: 1500,
      parts: [{ backend: 'north', timing: { connection: 'new' } }],
    })
  })

  test('connections to those that may be asked are kept open, to the rest not', async () => {
    await using world = houseOf(4)
    const { ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    expect(NAMES.slice(0, 4).map((name) => world.agent(name).planned)).toEqual([1, 1, 1, 0])
    exchange.play(PLAIN)
    await ended
  })

  test('a stream keeps its slot', async () => {
    await using world = houseOf(1)
    const { ended } = dispatching(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play(SSE_HEAD, role(), text('a'))
    const end = await ended
    expect(world.agent('north').stats().slotsTaken).toBe(1)
    if (end.kind !== 'streaming') throw new Error(end.kind)
    exchange.abort()
    end.slot.agent.release(end.slot)
  })
})

describe('fallback', () => {
  const next: [name: string, ...Parameters<typeof status>][] = [
    ['a failure', 500],
    ['a redirect', 302],
    ['throttling', 429],
    ['a refused credential', 401],
    ['an overload', 529],
  ]
  test.each(next)('after %s', async (_name, code) => {
    await using world = houseOf(2)
    world.agent('north').plays(status(code))
    world.agent('south').plays(PLAIN)
    expect(await dispatching(world).ended).toMatchObject({
      kind: 'answered',
      candidate: { offer: { backend: { id: 'south' } } },
    })
  })

  test.each([
    ['HTML', html(200)],
    ['a cut', reset()],
    ['an error in a 200', json({ error: { message: 'boom' } })],
    ['nothing that listens', { refuse: true } as const],
  ])('after %s', async (_name, part) => {
    await using world = houseOf(2)
    world.agent('north').plays(part)
    world.agent('south').plays(PLAIN)
    expect((await dispatching(world).ended).kind).toBe('answered')
  })

  test('not after a refusal: it is the caller’s fault everywhere', async () => {
    await using world = houseOf(2)
    world.agent('north').plays(status(400, { error: { message: 'no such role' } }))
    expect(errorOf(await dispatching(world).ended)).toEqual({ code: 'provider_refused', mayHaveRun: null })
    expect(sentTo(world)).toEqual([1, 0, 0, 0])
  })

  test('what a provider reports of a refusal goes with it', async () => {
    await using world = houseOf(2)
    const usage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 }
    world.agent('north').plays(status(400, { error: { message: 'no such role' }, usage }))
    expect(await dispatching(world).ended).toMatchObject({
      kind: 'unserved',
      reported: { candidate: { offer: { id: 'north/acme/m' } }, usage: { input: 7 } },
    })
  })

  test('not once some of a form has been passed on: it is gone', async () => {
    await using world = houseOf(2)
    const { call } = callAt(world)
    call.clock.enter('wait')
    world.agent('north').plays(status(500))
    const upload = { hasBegun: true, fault: null, bodyBytes: null, read: async () => null } as unknown as Upload
    const plan = {
      candidates: candidatesOf(world),
      prepared: { ...preparedOf(), upload },
      model: MODEL,
      attemptsMax: 3,
    }
    expect(errorOf(await dispatch(world.house, call, plan))).toMatchObject({ code: 'provider_failed' })
    expect(sentTo(world)).toEqual([1, 0, 0, 0])
  })

  test('`attempts_max` counts what was sent', async () => {
    await using world = houseOf(4, { routing: { attemptsMax: 2 } })
    world.agent('north').plays({ refuse: true })
    for (const name of NAMES.slice(1)) world.agent(name).plays(status(500))
    const { call, ended } = dispatching(world)
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_failed' })
    expect(call.attempts.map(({ backend, outcome }) => [backend, outcome])).toEqual([
      ['north', 'unsent'],
      ['south', 'failed'],
      ['east', 'failed'],
    ])
  })

  test('`dials_max` counts what was not sent', async () => {
    await using world = houseOf(4, { routing: { dialsMax: 2 } })
    world.agent('north').plays(status(500))
    for (const name of NAMES.slice(1)) world.agent(name).plays({ refuse: true })
    const { call, ended } = dispatching(world)
    await ended
    expect(call.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'unsent', 'unsent'])
  })

  test('a request each: what one was sent does not change what the next is sent', async () => {
    await using world = houseOf(2)
    world.agent('north').plays(status(500))
    world.agent('south').plays(PLAIN)
    await dispatching(world, { stream: false, user: 'é' }).ended
    const [first, second] = ['north', 'south'].map((name) => world.agent(name).exchanges[0]?.sentJson)
    expect(first).toMatchObject({ model: 'north-m' })
    expect(second).toEqual({ ...first, model: 'south-m' })
  })
})

describe('a prompt too long for an offer', () => {
  const TOO_LONG = status(400, { error: { message: 'too long', code: 'context_length_exceeded' } })
  const sized = (...sizes: (number | null)[]) =>
    createHouseDouble({
      backends: Object.fromEntries(sizes.map((contextTokensMax, at) => [NAMES[at] ?? 'more', { contextTokensMax }])),
    })

  test('goes to the next with a larger context, past those that take no more', async () => {
    await using world = sized(8000, 8000, 4000, 32_000)
    world.agent('north').plays(TOO_LONG)
    world.agent('west').plays(PLAIN)
    const { call, ended } = dispatching(world)
    expect((await ended).kind).toBe('answered')
    expect(sentTo(world)).toEqual([1, 0, 0, 1])
    expect(call.attempts).toMatchObject([{ outcome: 'too_long', reason: 'context_length_exceeded' }, {}])
  })

  test('is the caller’s fault when there is none', async () => {
    await using world = sized(8000, 8000)
    world.agent('north').plays(TOO_LONG)
    const end = await dispatching(world).ended
    expect(errorOf(end)).toMatchObject({ code: 'provider_refused' })
    expect(end).toMatchObject({ error: { status: 400, details: { publicCode: 'context_length_exceeded' } } })
    expect(sentTo(world)).toEqual([1, 0, 0, 0])
  })

  test('an unknown context may be larger', async () => {
    await using world = sized(8000, null)
    world.agent('north').plays(TOO_LONG)
    world.agent('south').plays(PLAIN)
    expect((await dispatching(world).ended).kind).toBe('answered')
  })
})

describe('timeouts', () => {
  const patient: HouseSpec['backends'] = {
    north: { limits: { totalMs: 1000, firstContentMs: 500 } },
    south: { limits: { totalMs: 2000, firstContentMs: 500 } },
  }

  test('of a plain request that was sent whole: it may have run, so it is not repeated', async () => {
    await using world = houseOf(2)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    exchange.fail('idle_timeout')
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_timeout' })
    expect(call.attempts).toMatchObject([{ outcome: 'failed', reason: 'idle_timeout', absorbed: true }])
    expect(sentTo(world)).toEqual([1, 0, 0, 0])
  })

  test('of a plain request that was sent whole, where the operator wants it repeated', async () => {
    await using world = houseOf(2, { replies: { repeatPlainTimeouts: true } })
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    exchange.written()
    exchange.fail('idle_timeout')
    expect((await ended).kind).toBe('answered')
    expect(call.attempts[0]).toMatchObject({ absorbed: true })
  })

  test.each([
    [true, false],
    [false, true],
  ])('a cut of a request that was sent whole (%p): it may be sent again (%p)', async (isWhole, retryable) => {
    await using world = houseOf(1)
    const { ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    if (isWhole) exchange.written()
    exchange.fail('reset')
    expect(await ended).toMatchObject({ error: { retryable } })
  })

  test('of bytes of a medium, as of a stream: it is repeated', async () => {
    await using world = houseOf(2)
    const { call } = callAt(world)
    call.clock.enter('wait')
    const prepared = preparedOf()
    const facts = { ...prepared.facts, isBinary: true as const }
    const plan = { candidates: candidatesOf(world), prepared: { ...prepared, facts }, model: MODEL, attemptsMax: 3 }
    world.agent('south').plays(status(400))
    const ended = dispatch(world.house, call, plan)
    const exchange = await world.agent('north').next()
    exchange.written()
    exchange.fail('idle_timeout')
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_refused' })
    expect(sentTo(world)).toEqual([1, 1, 0, 0])
  })

  test('of a plain request that was not sent whole: it is repeated', async () => {
    await using world = houseOf(2)
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    exchange.fail('idle_timeout')
    expect((await ended).kind).toBe('answered')
    expect(call.attempts[0]).toMatchObject({ absorbed: false })
  })

  test('of a stream before its content: it is repeated, and the first is listed as absorbed', async () => {
    await using world = createHouseDouble({ backends: patient })
    const { call, ended } = dispatching(world, { stream: true })
    const first = await world.agent('north').next()
    first.play(SSE_HEAD, role())
    world.clock.advance(500)
    expect(first.state).toBe('aborted')
    const second = await world.agent('south').next()
    second.play(SSE_HEAD, text('a'))
    const end = await ended
    if (end.kind !== 'streaming') throw new Error(end.kind)
    expect(call.attempts[0]).toMatchObject({ reason: 'first_content_timeout', absorbed: true })
    second.abort()
    end.slot.agent.release(end.slot)
  })

  test.each([
    [100_000, 99_001, false],
    [100_000, 98_999, true],
    [1000, 901, false],
    [1000, 899, true],
  ])('of a total of %i ms, %i are used: what is left is useful: %p', async (totalMs, usedMs, isUseful) => {
    await using world = createHouseDouble({ backends: { north: {}, south: { limits: { totalMs } } } })
    world.agent('south').plays(PLAIN)
    const { ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    world.clock.advance(usedMs)
    exchange.play(status(500))
    expect((await ended).kind).toBe(isUseful ? 'answered' : 'unserved')
  })

  test('a candidate whose total time is used up is not tried; one with more of it is', async () => {
    await using world = createHouseDouble({ backends: { ...patient, east: { limits: { totalMs: 900 } } } })
    world.agent('south').plays(status(500))
    const { ended } = dispatching(world)
    await world.agent('north').next()
    world.clock.advance(1000)
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_failed' })
    expect(sentTo(world)).toEqual([1, 1, 0, 0])
  })
})
