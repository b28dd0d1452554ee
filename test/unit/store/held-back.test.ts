import { expect, test } from 'bun:test'
import type { Clock } from '../../../src/lib/index.ts'
import { HeldBack } from '../../../src/store/sqlite/held-back.ts'
import { queuedHold } from '../../../src/store/sqlite/queued-hold.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { holdOf } from './store-kit.ts'

/** `loop.lateMs`: how late the loop comes to a timer that is set now. */
function holding() {
  const clock = fakeClock()
  const loop = { lateMs: 0 }
  const brought: string[] = []
  const after: Clock['after'] = (delayMs, callback) => clock.after(delayMs + loop.lateMs, callback)
  const heldBack = new HeldBack({ ...clock, after }, ({ hold }) => brought.push(hold.requestId))
  const add = (requestId: string) => heldBack.add(queuedHold(holdOf(requestId)), 5)
  return { clock, loop, brought, heldBack, add }
}

test('each is brought when its own time is over, and then no timer is left', () => {
  const { clock, brought, heldBack, add } = holding()
  add('one')
  clock.advance(3)
  add('two')
  clock.advance(2)
  expect(brought).toEqual(['one'])
  expect(heldBack.size).toBe(1)
  clock.advance(3)
  expect(brought).toEqual(['one', 'two'])
  expect(clock.timers).toBe(0)
})

test('one that was taken is not brought', () => {
  const { clock, brought, heldBack, add } = holding()
  add('one')
  add('two')
  expect(heldBack.take('one')?.hold.requestId).toBe('one')
  expect(heldBack.take('one')).toBeUndefined()
  clock.advance(5)
  expect(brought).toEqual(['two'])
  add('three')
  expect(heldBack.takeAll().map(({ hold }) => hold.requestId)).toEqual(['three'])
  expect([heldBack.size, clock.timers]).toEqual([0, 0])
})

test('a loop that comes late gives them as much time again, but no more than a tenth of a second', () => {
  const { clock, loop, brought, add } = holding()
  loop.lateMs = 20
  add('one') // due after 5 ms, looked at after 25
  clock.advance(24)
  loop.lateMs = 1
  clock.advance(1)
  expect(brought).toEqual([])
  clock.advance(20)
  expect(brought).toEqual([])
  clock.advance(1)
  expect(brought).toEqual(['one'])
  loop.lateMs = 110
  add('two')
  clock.advance(115)
  expect(brought).toEqual(['one', 'two'])
  expect(clock.timers).toBe(0)
})
