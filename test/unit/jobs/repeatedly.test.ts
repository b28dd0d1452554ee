import { expect, test } from 'bun:test'
import { repeatedly } from '../../../src/jobs/repeatedly.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'

function repeating() {
  const clock = fakeClock()
  const told: unknown[] = []
  const begun: PromiseWithResolvers<void>[] = []
  const stopped: (() => boolean)[] = []
  const log = { warn: (event: string, fields?: object) => told.push([event, fields]) }
  const stop = repeatedly({ clock, log, periodMs: 1000, failure: 'not_done' }, (isStopped) => {
    const work = Promise.withResolvers<void>()
    begun.push(work)
    stopped.push(isStopped)
    return work.promise
  })
  return { clock, told, begun, stopped, stop }
}

test('work is begun at the start and once in each period, never while it runs', async () => {
  const { clock, begun, stop } = repeating()
  expect(begun.length).toBe(1)
  clock.advance(2000)
  expect(begun.length).toBe(1)
  begun[0]?.resolve()
  await settleMicrotasks()
  expect(begun.length).toBe(1)
  clock.advance(1000)
  expect(begun.length).toBe(2)
  stop()
  expect(clock.timers).toBe(0)
})

test('a failure is told, and the next period tries again', async () => {
  const { clock, told, begun, stop } = repeating()
  begun[0]?.reject(new Error('no disk'))
  await settleMicrotasks()
  expect(told).toEqual([['not_done', { message: 'no disk' }]])
  clock.advance(1000)
  expect(begun.length).toBe(2)
  stop()
})

test('work under way learns that it is stopped, and what fails then is not told', async () => {
  const { clock, told, begun, stopped, stop } = repeating()
  expect(stopped[0]?.()).toBe(false)
  stop()
  expect(stopped[0]?.()).toBe(true)
  begun[0]?.reject(new Error('closed'))
  clock.advance(5000)
  await settleMicrotasks()
  expect(told).toEqual([])
  expect(begun.length).toBe(1)
})
