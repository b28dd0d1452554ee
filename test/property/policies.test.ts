import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_POLICY, mergePolicies, type Policy } from '../../src/domain/index.ts'
import { dataHandling } from '../../src/pipeline/route/rules/data-handling.ts'
import { permitted } from '../../src/pipeline/route/rules/permitted.ts'
import { sovereignty } from '../../src/pipeline/route/rules/sovereignty.ts'
import { worldOf } from '../unit/pipeline/route/route-kit.ts'
import { candidateAt } from '../unit/pipeline/route/rules/policy-kit.ts'

const numRuns = Number(process.env.ANYROUTER_RUNS ?? 100)
const REGIONS = ['ca', 'ca-east', 'ca-east-1', 'ca-west', 'us', 'us-east', 'cat']
const COUNTRIES = ['ca', 'us', 'fr']
const IDS = ['north', 'south', 'acme', 'other']

const listOf = (names: readonly string[]) => fc.option(fc.subarray([...names]), { nil: null })
const policies: fc.Arbitrary<Policy> = fc.record({
  allowForeign: fc.boolean(),
  regions: listOf(REGIONS),
  ownerships: listOf(COUNTRIES),
  zeroRetention: fc.boolean(),
  allowTraining: fc.boolean(),
  only: listOf(IDS),
  ignore: listOf(IDS),
})
const parts = fc.array(fc.option(fc.oneof(policies, fc.constant(DEFAULT_POLICY)), { nil: null }), { maxLength: 4 })
const places = fc.record({
  id: fc.constantFrom('north', 'south'),
  provider: fc.constantFrom('acme', 'other'),
  region: fc.option(fc.constantFrom(...REGIONS), { nil: null }),
  ownership: fc.option(fc.constantFrom(...COUNTRIES), { nil: null }),
  data: fc.option(
    fc.record({
      retentionDays: fc.option(fc.constantFrom(0, 30), { nil: null }),
      training: fc.option(fc.boolean(), { nil: null }),
    }),
    { nil: null },
  ),
})
const homes = fc.subarray(['ca-east', 'us'])

/** Whether requests under these policies may be sent there, by the rules of routing. */
function allows(
  merge: readonly (Policy | null)[],
  place: Parameters<typeof candidateAt>[0],
  homeRegions: readonly string[],
): boolean {
  const bounds = { ...worldOf(), policy: mergePolicies(...merge), homeRegions }
  const candidate = candidateAt(place)
  return [permitted, sovereignty, dataHandling].every((rule) => rule.skip(candidate, bounds, {}) === null)
}

describe('policies together', () => {
  test('allow exactly what each of them allows: no part widens another', () => {
    fc.assert(
      fc.property(parts, places, homes, (all, place, home) => {
        expect(allows(all, place, home)).toBe(all.every((part) => allows([part], place, home)))
      }),
      { numRuns: numRuns * 10 },
    )
  })

  test('their order, and saying one twice, changes nothing', () => {
    const shuffled = parts.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, places, homes, ([all, other], place, home) => {
        expect(allows(other, place, home)).toBe(allows(all, place, home))
        expect(allows([...all, ...other], place, home)).toBe(allows(all, place, home))
      }),
      { numRuns: numRuns * 5 },
    )
  })

  test('nothing hangs on which object a part is', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const copies = all.map((part) => (part === null ? null : { ...part }))
        expect(mergePolicies(...all)).toEqual(mergePolicies(...copies))
      }),
      { numRuns },
    )
  })

  test('a part that is not there changes nothing', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        expect(mergePolicies(null, policy, null)).toEqual(mergePolicies(policy))
      }),
      { numRuns },
    )
    expect(mergePolicies()).toEqual(mergePolicies(null))
  })
})
