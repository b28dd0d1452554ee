import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { crowdSteps, playCrowd, type Spoil } from './dispatch-crowd.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

test('slots come back on every ending, a full backend costs nothing, nobody is overtaken, waiters are bounded', async () => {
  await fc.assert(
    fc.asyncProperty(crowdSteps, (steps) => playCrowd(steps)),
    { numRuns: RUNS },
  )
}, 600_000)

/** Deliberate faults of an agent. */
const DEFECTS: Readonly<Record<string, Spoil>> = {
  'every fifth slot is lost': (agent) => {
    const { release } = agent
    let count = 0
    Object.assign(agent, {
      release(...args: Parameters<typeof release>) {
        if (++count % 5 !== 0) release.apply(agent, args)
      },
    })
  },
  'every third waiter is forgotten': (agent) => {
    const { join } = agent
    let count = 0
    Object.assign(agent, {
      join(...args: Parameters<typeof join>) {
        if (++count % 3 !== 0) join.apply(agent, args)
      },
    })
  },
  'who has a slot stays in the other lines': (agent) => {
    Object.assign(agent, { leave: () => {} })
  },
  'who waited first is served last': (agent) => {
    const { join, leave } = agent
    let line: Parameters<typeof join>[0][] = []
    Object.assign(agent, {
      join(waiter: Parameters<typeof join>[0]) {
        for (const other of line) leave(other)
        line = [waiter, ...line]
        for (const other of line) join.call(agent, other)
      },
      leave(waiter: Parameters<typeof leave>[0]) {
        line = line.filter((other) => other !== waiter)
        leave(waiter)
      },
    })
  },
}

describe('a seeded defect is found', () => {
  for (const [name, spoil] of Object.entries(DEFECTS)) {
    test(name, async () => {
      const property = fc.asyncProperty(crowdSteps, (steps) => playCrowd(steps, spoil))
      // A fixed seed: whether a defect is found must not depend on the day.
      const result = await fc.check(property, { seed: 1, numRuns: 200, endOnFailure: true })
      expect(result.failed).toBe(true)
    })
  }
})
