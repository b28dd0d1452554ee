import { expect, test } from 'bun:test'
import { HEARTBEAT, Heartbeat } from '../../../../src/pipeline/relay/heartbeat.ts'
import { fakeClock } from '../../../support/fake-clock.ts'

function beating(afterMs: number) {
  const clock = fakeClock()
  const beats: number[] = []
  const heartbeat = new Heartbeat(clock, afterMs, () => {
    beats.push(clock.monotonicUs() / 1000)
    heartbeat.wrote()
  })
  return { clock, beats, heartbeat }
}

test('each time that nothing was written for so long', () => {
  const { clock, beats } = beating(15_000)
  clock.advance(14_999)
  expect(beats).toEqual([])
  clock.advance(30_001)
  expect(beats).toEqual([15_000, 30_000, 45_000])
  expect(clock.timers).toBe(1)
})

test('what is written puts it off, without a timer of its own', () => {
  const { clock, beats, heartbeat } = beating(15_000)
  for (const ms of [10_000, 10_000, 10_000]) {
    clock.advance(ms)
    heartbeat.wrote()
    expect(clock.timers).toBe(1)
  }
  clock.advance(14_999)
  expect(beats).toEqual([])
  clock.advance(1)
  expect(beats).toEqual([45_000])
})

test('not a part of a ms too early', () => {
  const { clock, beats, heartbeat } = beating(1000)
  clock.advanceUs(300)
  heartbeat.wrote()
  clock.advance(1000)
  expect(beats).toEqual([])
  clock.advanceUs(700)
  expect(beats).toEqual([1001])
})

test('a beat that nobody writes is asked for again after as long', () => {
  const clock = fakeClock()
  let asked = 0
  new Heartbeat(clock, 1000, () => asked++)
  clock.advance(3000)
  expect(asked).toBe(3)
})

test('0 is never; stopped is for good', () => {
  const never = beating(0)
  expect(never.clock.timers).toBe(0)
  never.heartbeat.wrote()
  const stopped = beating(10)
  stopped.heartbeat.stop()
  stopped.heartbeat.stop()
  stopped.clock.advance(100)
  expect([stopped.beats, stopped.clock.timers]).toEqual([[], 0])
})

test('it is a comment in a block of its own', () => {
  expect(Buffer.from(HEARTBEAT).toString()).toMatch(/^: [^\n]+\n\n$/)
})
