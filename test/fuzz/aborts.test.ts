import { expect, test } from 'bun:test'
import { fuzzAborts, heldBy } from '../support/abort-fuzz.ts'
import { seedOf } from '../support/abort-plan.ts'

const REQUESTS = 3 * Number(process.env.ANYROUTER_RUNS ?? 20_000) // of 20,000 the heap is still on its way to what it stays at
const GROWTH_BYTES_MAX = 48 << 20 // after two fifths; 1.4 KB left by each request are found
const DESCRIPTORS_MORE_MAX = 32 // kept connections come and go

test('requests ended by either side at any byte leave nothing behind, and neither memory nor descriptors grow', async () => {
  const held: NonNullable<ReturnType<typeof heldBy>>[] = []
  await fuzzAborts({
    requests: REQUESTS,
    seed: seedOf(process.env.ANYROUTER_SEED),
    atFifth(pid) {
      const now = pid === null ? null : heldBy(pid)
      if (now !== null) held.push(now)
    },
  })
  const mib = held.map(({ memoryBytes }) => Math.round(memoryBytes / (1 << 20)))
  console.log(
    `MiB after each fifth: ${mib.join(', ')}; descriptors: ${held.map(({ descriptors }) => descriptors).join(', ')}`,
  )
  const [, warm] = held
  const last = held.at(-1)
  if (warm === undefined || last === undefined) return expect(process.platform).not.toBe('linux')
  expect(last.memoryBytes - warm.memoryBytes).toBeLessThan(GROWTH_BYTES_MAX)
  expect(last.descriptors - warm.descriptors).toBeLessThan(DESCRIPTORS_MORE_MAX)
}, 1_200_000)
