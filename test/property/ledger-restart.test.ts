import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLedger } from '../../src/ledger/index.ts'
import { liveThrough } from './ledger-lives.ts'
import type { MakeLedger } from './ledger-model.ts'
import { type LifeCommand, lifeCommands } from './life-commands.ts'
import { ledgerMutants } from './mutants.ts'

// Each run opens a store several times, with its threads, which takes half a second: a twentieth of the usual number.
const RUNS = Math.ceil(Number(process.env.ANYROUTER_RUNS ?? 100) / 20)

const live = (list: readonly LifeCommand[], make: MakeLedger): Promise<void> => liveThrough(list, make)

test('on the real store, through restarts, kills and failing commits: what callers were told stays, and every hold ends once', async () => {
  const property = fc.asyncProperty(lifeCommands, (list) => live(list, createLedger))
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true }) // shrinking would take minutes
}, 3_000_000) // the long lane's runs take minutes

// Those whose harm is a difference between memory and disk; the others are the model's to find.
const FOUND = ['hold not released by a void', 'lost credit']

for (const { name, make } of ledgerMutants.filter((mutant) => FOUND.includes(mutant.name)))
  test(`and finds: ${name}`, async () => {
    const property = fc.asyncProperty(lifeCommands, (list) => live(list, make))
    const result = await fc.check(property, { seed: 1, numRuns: 20, endOnFailure: true })
    expect(result.failed).toBe(true)
  })
