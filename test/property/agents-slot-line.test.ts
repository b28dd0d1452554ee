import { describe, expect, test } from 'bun:test'
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

/** What holds of any line that is made so. */
const soundLines = (make: (size: number) => SlotLine) =>
  fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (sizeAtFirst, steps) => {
    let size = sizeAtFirst
    const line = make(size)
    const held: TakenSlot[] = []
    let queue: Waiter[] = []
    const hold = (slot: Slot | null): void => {
      if (!(slot instanceof TakenSlot)) return
      expect(held).not.toContain(slot)
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
  })

test('slots are never lost, doubled or given out of turn, whatever waiters do', () => {
  fc.assert(
    soundLines((size) => new SlotLine(agent, size)),
    { numRuns: RUNS },
  )
})

/** A line with a fault: `spoil` takes over some of its methods. */
const spoiled =
  (spoil: (line: SlotLine) => Partial<Pick<SlotLine, 'take' | 'join' | 'leave' | 'release' | 'resize'>>) =>
  (size: number): SlotLine => {
    const line = new SlotLine(agent, size)
    const { take, join, leave, release, resize } = line
    const whole = {
      take: take.bind(line),
      join: join.bind(line),
      leave: leave.bind(line),
      release: release.bind(line),
      resize: resize.bind(line),
    }
    return Object.assign(line, spoil(Object.assign(Object.create(line), whole)))
  }

const DEFECTS: Readonly<Record<string, (size: number) => SlotLine>> = {
  'a slot is lost when it is given back': spoiled((line) => {
    let count = 0
    return { release: (slot) => (++count % 3 === 0 ? undefined : line.release(slot)) }
  }),
  'a slot is given twice': spoiled((line) => {
    let last: TakenSlot | null = null
    return {
      take() {
        last = line.take() ?? last
        return last
      },
    }
  }),
  'who leaves stays in the line': spoiled(() => ({ leave: () => {} })),
  'who joins is offered nothing before somebody gives back': spoiled((line) => {
    const late: Waiter[] = []
    return {
      join: (waiter) => void late.push(waiter),
      release(slot) {
        for (const waiter of late.splice(0)) line.join(waiter)
        line.release(slot)
      },
    }
  }),
  'a smaller line keeps its size': spoiled((line) => {
    let largest = 0
    return {
      resize(size) {
        largest = Math.max(largest, size)
        line.resize(largest)
      },
    }
  }),
}

describe('a seeded defect is found', () => {
  test('and none where there is none', () => {
    expect(fc.check(soundLines(spoiled(() => ({}))), { seed: 1, numRuns: 300 }).failed).toBe(false)
  })

  test.each(Object.entries(DEFECTS))('%s', (_name, make) => {
    expect(fc.check(soundLines(make), { seed: 1, numRuns: 300, endOnFailure: true }).failed).toBe(true)
  })
})
