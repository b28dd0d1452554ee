import { expect, test } from 'bun:test'
import { IdleWatch } from '../../../src/agents/idle-watch.ts'
import { fakeClock } from '../../support/fake-clock.ts'

/** A watch over a second, and how often it told of silence. */
function watching(isPaused = false) {
  const clock = fakeClock()
  clock.advance(60_000) // it has run for a while
  const state = { silences: 0 }
  const watch = new IdleWatch(clock, 1000, isPaused, () => {
    state.silences++
  })
  return { clock, state, watch }
}

test('silence counts from what was heard last, and is told once', () => {
  const { clock, state, watch } = watching()
  clock.advance(600)
  watch.heard(clock.monotonicUs())
  clock.advance(999)
  expect(state.silences).toBe(0)
  clock.advance(1)
  expect(state.silences).toBe(1)
  clock.advance(10_000)
  expect([state.silences, clock.timers]).toEqual([1, 0])
})

test('a pause does not count, whether or not its time runs out meanwhile', () => {
  const { clock, state, watch } = watching()
  clock.advance(400)
  watch.pause()
  clock.advance(100_000)
  watch.resume()
  clock.advance(599)
  expect(state.silences).toBe(0)
  clock.advance(1)
  expect(state.silences).toBe(1)
})

test('one that begins in a pause waits for its end', () => {
  const { clock, state, watch } = watching(true)
  clock.advance(5000)
  expect(state.silences).toBe(0)
  watch.resume()
  clock.advance(999)
  expect(state.silences).toBe(0)
  clock.advance(1)
  expect(state.silences).toBe(1)
})

test('parts of a ms are no silence yet, and no reason to look all the time', () => {
  const { clock, state, watch } = watching()
  clock.advanceUs(300)
  watch.heard(clock.monotonicUs())
  clock.advance(1000)
  expect([state.silences, clock.timers]).toEqual([0, 1])
  clock.advanceUs(700)
  expect([state.silences, clock.timers]).toEqual([1, 0])
})

test('however often it pauses, it has one timer', () => {
  const { clock, watch } = watching()
  for (let n = 0; n < 3; n++) {
    watch.pause()
    clock.advance(10)
    watch.resume()
  }
  expect(clock.timers).toBe(1)
  watch.stop()
  expect(clock.timers).toBe(0)
})

test('what is stopped leaves no timer', () => {
  const { clock, watch } = watching()
  watch.stop()
  expect(clock.timers).toBe(0)
})
