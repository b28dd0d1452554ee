import { expect, test } from 'bun:test'
import { seedOf } from '../support/abort-plan.ts'
import { fuzzMutations } from '../support/mutation-fuzz.ts'

const REQUESTS = 300 // `npm run fuzz` takes more

test('requests and answers with faults in them are answered well-formed in the dialect of their caller', async () => {
  const asked = await fuzzMutations({ requests: REQUESTS, seed: seedOf(process.env.ANYROUTER_SEED) })
  expect(asked).toBeGreaterThan(REQUESTS / 4)
}, 60_000)
