import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { commands } from './ledger-commands.ts'
import { compareWithModel } from './ledger-model.ts'
import { ledgerMutants, unchangedLedger } from './mutants.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

test('the ledger is its model, whatever happens, however the disk behaves and in whatever order it tells of it', async () => {
  await fc.assert(
    fc.asyncProperty(commands, (list) => compareWithModel(list)),
    { numRuns: RUNS },
  )
})

describe('the comparison finds every seeded defect', () => {
  test('and none where there is none', async () => {
    const property = fc.asyncProperty(commands, (list) => compareWithModel(list, unchangedLedger))
    expect((await fc.check(property, { seed: 1, numRuns: 200 })).failed).toBe(false)
  })

  for (const { name, make } of ledgerMutants) {
    test(name, async () => {
      const property = fc.asyncProperty(commands, (list) => compareWithModel(list, make))
      // A fixed seed: whether a defect is found must not depend on the day.
      const result = await fc.check(property, { seed: 1, numRuns: 200, endOnFailure: true })
      expect(result.failed).toBe(true)
    })
  }
})
