import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Slot, Waiter } from '../../src/agents/index.ts'
import { SlotLine, TakenSlot } from '../../src/agents/slot-line.ts'
import { agentOf, backendAt } from '../unit/agents/probe.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const agent = agentOf(backendAt(1))

const step = fc.record({
  kind: fc.constantFrom('take', 'join', 'join', 'leave', 'release', 'release', 'resize'),
  which: fc.nat(100),
  accepts: fc.boolean(),
})

test('slots are never lost, doubled or given out of turn, whatever waiters do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (sizeAtFirst, steps) => {
      let size = sizeAtFirst
      const line = new SlotLine(agent, size)
      const held: TakenSlot[] = []
      let queue: Waiter[] = []
      const hold = (slot: Slot | null): void => {
        if (!(slot instanceof TakenSlot)) return
        expect(held.map(({ number }) => number)).not.toContain(slot.number)
        held.push(slot)
      }
      for (const { kind, which, accepts } of steps) {
        if (kind === 'take') {
          const slot = line.take()
          expect(slot === null).toBe(queue.length > 0 || held.length >= size)
          hold(slot)
        } else if (kind === 'join') {
          const waiter: Waiter = {
            offer(slot) {
              expect(queue[0]).toBe(waiter)
              queue = queue.slice(1)
              if (accepts) hold(slot)
              return accepts
            },
          }
          queue.push(waiter)
          line.join(waiter)
        } else if (kind === 'leave') {
          const waiter = queue[which % Math.max(1, queue.length)]
          queue = queue.filter((other) => other !== waiter)
          if (waiter !== undefined) line.leave(waiter)
        } else if (kind === 'resize') {
          size = 1 + (which % 5)
          line.resize(size)
        } else {
          const [slot] = held.splice(which % Math.max(1, held.length), 1)
          if (slot !== undefined) line.release(slot)
        }
        expect({ taken: line.taken, waiters: line.waiters }).toEqual({ taken: held.length, waiters: queue.length })
        expect(queue.length === 0 || held.length >= size).toBe(true) // nobody waits beside a free slot
      }
    }),
    { numRuns: RUNS },
  )
})
