import { describe, expect, test } from 'bun:test'
import type { ExchangeTiming } from '../../../src/domain/index.ts'
import { formatOpenTiming, formatServerTiming, StageClock, share } from '../../../src/pipeline/timing.ts'
import { timingOf } from '../../support/exchange-timing.ts'
import { fakeClock } from '../../support/fake-clock.ts'

function clockedRequest() {
  const clock = fakeClock()
  const stages = new StageClock(clock)
  return { clock, stages }
}

describe('stage clock', () => {
  test('every microsecond is in exactly one part', () => {
    const { clock, stages } = clockedRequest()
    clock.advanceUs(50)
    stages.enter('auth')
    clock.advanceUs(30)
    stages.enter('wait')
    clock.advanceUs(5)
    stages.attemptBegins()
    clock.advanceUs(20_000)
    stages.attemptEnds('north', timingOf('new'))
    clock.advanceUs(7)
    stages.attemptBegins()
    clock.advanceUs(1000)
    stages.attemptEnds('south', timingOf('kept'))
    clock.advanceUs(3)
    stages.post(true)
    clock.advanceUs(40)
    stages.post()
    clock.advanceUs(2)
    const timing = stages.read()
    expect(timing.stages).toEqual([
      ['recv', 50],
      ['auth', 30],
      ['wait', 5],
    ])
    expect(timing).toMatchObject({
      gwUs: 85,
      upstreamUs: 21_007,
      upstreamWaitUs: 7,
      postUs: 45,
      postHoldUs: 40,
      totalUs: 21_137,
    })
    expect(timing.parts).toEqual([
      { backend: 'north', us: 20_000, timing: timingOf('new') },
      { backend: 'south', us: 1000, timing: timingOf('kept') },
    ])
  })

  test('so it is while several attempts are under way at once', () => {
    const { clock, stages } = clockedRequest()
    stages.attemptBegins()
    clock.advanceUs(10)
    stages.attemptBegins()
    clock.advanceUs(100)
    stages.attemptEnds('north', timingOf('new'))
    clock.advanceUs(30)
    stages.attemptEnds('south', timingOf('kept'))
    clock.advanceUs(5)
    stages.post()
    const timing = stages.read()
    expect(timing.parts.map(({ us }) => us)).toEqual([110, 30])
    expect(timing).toMatchObject({ upstreamUs: 140, upstreamWaitUs: 0, postUs: 5, totalUs: 145, endedUs: 145 })
  })

  test('a refusal has no upstream, and its stage is charged up to the end of gw', () => {
    const { clock, stages } = clockedRequest()
    clock.advanceUs(100)
    stages.enter('auth')
    clock.advanceUs(50)
    stages.post()
    clock.advanceUs(10)
    const header = formatServerTiming(stages.read())
    expect(header).toBe('gw;dur=0.15, gw-recv;dur=0.10, gw-auth;dur=0.05, post;dur=0.01, total;dur=0.16')
  })

  test('the last attempt that failed is followed by post, not by a wait', () => {
    const { clock, stages } = clockedRequest()
    stages.enter('wait')
    stages.attemptBegins()
    clock.advanceUs(500)
    stages.attemptEnds('north', timingOf('unsent'))
    clock.advanceUs(70)
    stages.post()
    const timing = stages.read()
    expect(timing).toMatchObject({ upstreamUs: 500, upstreamWaitUs: 0, postUs: 70 })
  })

  test('the header names backend and connection, and quotes nothing that could end the quotes', () => {
    const { clock, stages } = clockedRequest()
    stages.attemptBegins()
    clock.advanceUs(1230)
    stages.attemptEnds('a"b\\c', timingOf('kept'))
    expect(formatServerTiming(stages.read())).toContain('upstream;dur=1.23, upstream-1;dur=1.23;desc="a?b?c kept"')
  })
})

describe('the split of an attempt', () => {
  const described = (timing: ExchangeTiming, hidesBackends = false): string => {
    const { stages } = clockedRequest()
    stages.attemptBegins()
    stages.attemptEnds('north', timing)
    return /desc="(.*?)"/.exec(formatServerTiming(stages.read(), hidesBackends))?.[1] ?? ''
  }

  test('a new connection says what it took to open, a kept one how old it is', () => {
    const times = { writeUs: 20, firstByteUs: 101_304 }
    expect(
      described(timingOf('new', { ...times, dnsUs: 1000, connectUs: 100_200, tlsUs: 101_000, connectionAgeMs: 0 })),
    ).toBe('north new dns=1.00 connect=100.20 tls=101.00 write=0.02 first-byte=101.30')
    expect(described(timingOf('kept', { ...times, connectionAgeMs: 12_300 }))).toBe(
      'north kept age=12s write=0.02 first-byte=101.30',
    )
    expect(described(timingOf('resent', { connectUs: 500 }), true)).toBe('resent connect=0.50')
    expect(described(timingOf('unsent'))).toBe('north unsent')
  })
})

describe('share', () => {
  test('splits by largest remainder', () => {
    expect(share(10, [1, 1, 1])).toEqual([4, 3, 3])
    expect(share(0, [1, 2])).toEqual([0, 0])
    expect(share(3, [0, 0])).toEqual([3, 0])
    expect(share(7, [0, 5])).toEqual([0, 7])
  })
})

test('an answer that is not there yet: the gateway’s own time, and a total that is open', () => {
  const clock = fakeClock()
  const stages = new StageClock(clock)
  clock.advanceUs(1230)
  stages.enter('wait')
  clock.advanceUs(20)
  stages.attemptBegins()
  clock.advanceUs(5000)
  expect(formatOpenTiming(stages.read())).toBe('gw;dur=1.25, gw-recv;dur=1.23, gw-wait;dur=0.02, total;desc="open"')
})

test('names of backends are left out where they are hidden', () => {
  const stages = new StageClock(fakeClock())
  stages.attemptBegins()
  stages.attemptEnds('north', timingOf('kept'))
  expect(formatServerTiming(stages.read(), true)).toContain('upstream-1;dur=0.00;desc="kept"')
  expect(formatServerTiming(stages.read())).toContain('desc="north kept"')
})
