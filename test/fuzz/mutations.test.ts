import { expect, test } from 'bun:test'
import { seedOf } from '../support/abort-plan.ts'
import { fuzzMutations } from '../support/mutation-fuzz.ts'

const REQUESTS = 5 * Number(process.env.ANYROUTER_RUNS ?? 20_000)

test('requests and answers with faults in them are answered well-formed in the dialect of their caller', async () => {
  const asked = await fuzzMutations({ requests: REQUESTS, seed: seedOf(process.env.ANYROUTER_SEED) })
  console.log(`${REQUESTS} requests, ${asked} answers of the provider`)
  expect(asked).toBeGreaterThan(REQUESTS / 4)
}, 3_000_000)
