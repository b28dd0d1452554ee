import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLedger } from '../../src/ledger/index.ts'
import { diskDefects } from './disk-defects.ts'
import { liveThrough } from './ledger-lives.ts'
import { type LifeCommand, lifeCommands } from './life-commands.ts'

// What memory, callers and `verify` say of a database that does wrong. One life that has everything in it finds each defect; in the long lane random
// ones do, too.
const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100) >= 1000 ? 60 : 1

const FLUSH = { do: 'flush' } as const
const LIFE: LifeCommand[] = [
  { do: 'enter', account: 0, amount: 60 },
  FLUSH,
  { do: 'grant', amount: 60, lifeMs: 1e12 },
  FLUSH,
  { do: 'hold', account: 0, amount: 40 },
  FLUSH,
  { do: 'extend', nth: 0, units: 10, amount: 20 },
  { do: 'hold', account: 0, amount: 10 },
  FLUSH,
  { do: 'settle', nth: 0, input: 20 },
  FLUSH,
  { do: 'refund', nth: 0, amount: 15 },
  FLUSH,
  { do: 'checkpoint', nth: 0, units: 4 },
  { do: 'hold', account: 0, amount: 20 },
  FLUSH,
  { do: 'kill', when: 'before_commit' },
  FLUSH,
]

const live = (list: readonly LifeCommand[], trigger: string | null): Promise<void> =>
  liveThrough(list, createLedger, trigger)

test('without a defect nothing is found', () => live(LIFE, null))

for (const { name, trigger } of diskDefects)
  test(`found: ${name}`, async () => {
    const property = fc.asyncProperty(lifeCommands, (list) => live(list, trigger))
    const result = await fc.check(property, { seed: 1, numRuns: RUNS, examples: [[LIFE]], endOnFailure: true })
    expect(String(result.errorInstance)).toContain('expect(') // and not that the database has refused it
  }, 120_000)

if (RUNS > 1)
  test('random lives find each of them, too', async () => {
    const missed: string[] = []
    for (const { name, trigger } of diskDefects) {
      const property = fc.asyncProperty(lifeCommands, (list) => live(list, trigger))
      const { failed } = await fc.check(property, { seed: 1, numRuns: RUNS, endOnFailure: true })
      if (!failed) missed.push(name)
    }
    expect(missed).toEqual([])
  }, 600_000)
