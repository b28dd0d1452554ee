import { describe, expect, test } from 'bun:test'
import type { EndReport } from '../../../src/app/proven-in-time.ts'
import { settleAll, withUnsettled } from '../../../src/app/settle-all.ts'
import { createTraffic } from '../../../src/pipeline/index.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'

/** A drain over what the test says is in progress. */
function draining({ drainMs = 60_000, accepting = true, openHolds = 1 } = {}) {
  const clock = fakeClock()
  const traffic = createTraffic()
  const told: string[] = []
  const progress: number[] = []
  const world = { accepting, openHolds }
  return {
    clock,
    told,
    progress,
    /** One request; `over` ends it. */
    add(name: string): () => void {
      const leave = { fire: (reason: string) => void told.push(`${name} ${reason}`) }
      traffic.add(name, { stream: true, isReceiving: false, leave })
      return () => traffic.end(name, true)
    },
    /** Resolves to the time it took, in ms. */
    async drain(): Promise<number> {
      traffic.beginDrain()
      const startedUs = clock.monotonicUs()
      await settleAll(
        {
          clock,
          traffic,
          writer: { accepting: () => world.accepting },
          ledger: { stats: () => ({ accountsOpen: 1, openHolds: world.openHolds, leaks: 0 }) },
          drainMs,
        },
        (inFlight) => progress.push(inFlight),
      )
      return (clock.monotonicUs() - startedUs) / 1000
    },
  }
}

describe('settleAll', () => {
  test('waits for what runs, tells how much is left, leaves no timer', async () => {
    const made = draining()
    const [one, two] = [made.add('one'), made.add('two')]
    const drained = made.drain()
    one()
    await settleMicrotasks()
    made.clock.advance(1000)
    expect(made.progress).toEqual([2, 1])
    two()
    expect(await drained).toBe(1000)
    expect(made.told).toEqual([])
    expect(made.clock.timers).toBe(0)
  })

  test('makes an end after its time; what ends then is waited for', async () => {
    const made = draining({ drainMs: 5000 })
    const over = made.add('one')
    const drained = made.drain()
    made.clock.advance(4999)
    expect(made.told).toEqual([])
    made.clock.advance(1)
    expect(made.told).toEqual(['one shutdown'])
    made.clock.advance(3000)
    over()
    expect(await drained).toBe(8000)
    expect(made.clock.timers).toBe(0)
  })

  test('waits no more for what does not end even then', async () => {
    const made = draining({ drainMs: 0 })
    made.add('one')
    const drained = made.drain()
    made.clock.advance(9999)
    made.clock.advance(1)
    expect(await drained).toBe(10_000)
    expect(made.clock.timers).toBe(0)
  })

  test('waits 5 s for a disk that takes nothing, when nothing else is waited for', async () => {
    const made = draining({ accepting: false, openHolds: 0 })
    made.add('one')
    const drained = made.drain()
    made.clock.advance(5000)
    expect(await drained).toBe(5000)
  })
})

test('settlements that were never written make a report unclean', () => {
  const report: EndReport = { clean: true, faults: [], openHolds: 0, isProven: true }
  expect(withUnsettled(report, 0)).toBe(report)
  expect(withUnsettled(report, 2)).toMatchObject({ clean: false, faults: [expect.stringContaining(': 2;')] })
})
