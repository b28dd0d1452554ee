import { test } from 'bun:test'
import { fuzzAborts } from '../support/abort-fuzz.ts'
import { seedOf } from '../support/abort-plan.ts'

const REQUESTS = 300 // `npm run fuzz` takes more

test('requests ended by either side at any byte leave nothing behind', async () => {
  await fuzzAborts({ requests: REQUESTS, seed: seedOf(process.env.ANYROUTER_SEED) })
}, 60_000)
