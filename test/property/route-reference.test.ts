import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  DEFAULT_POLICY,
  mergePolicies,
  NO_CAUSES,
  type OperationName,
  type QuarantineRow,
  type RoutePlan,
} from '../../src/domain/index.ts'
import type { Wish, World } from '../../src/pipeline/route/rule.ts'
import { NOW_MS } from '../unit/pipeline/route/route-kit.ts'
import { type RouteDefect, routeDefects } from './read-mutants.ts'
import { MODELS, planOf, wishes, wishFrom, worldFrom, worlds } from './route-worlds.ts'
import { serialRoute } from './serial-route.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const REQUESTS = 3 // of each world: 5,000 worlds are 15,000 requests

const ends = fc.constantFrom(NOW_MS - 1, NOW_MS, NOW_MS + 1, NOW_MS + 60_000)
const backends = ['b0', 'b1', 'b2', 'b3', 'b4']
const byBackend = fc.dictionary(fc.constantFrom(...backends), ends, { maxKeys: 3 })

/** What stands around a request: health, where its session stays, what binds its account and key. */
const surroundings = fc.record({
  failing: byBackend,
  cooling: byBackend,
  triesLeastBad: fc.boolean(),
  sticky: fc.dictionary(fc.constantFrom(...MODELS), fc.constantFrom(...backends), { maxKeys: 2 }),
  homeRegions: fc.constantFrom([], [], ['eu']),
  account: fc.record({
    allowForeign: fc.boolean(),
    zeroRetention: fc.constantFrom(false, false, false, true),
    ignore: fc.constantFrom(null, null, ['b1', 'beta']),
  }),
  models: fc.constantFrom(null, null, ['m0', 'm2']),
  neverFallsBack: fc.boolean(),
})

type Surroundings = typeof surroundings extends fc.Arbitrary<infer Spec> ? Spec : never

function surrounded(world: World, spec: Surroundings): World {
  const { account, key } = world.context
  const rows = Object.entries(spec.failing).map(([backend, untilMs]): [string, QuarantineRow] => {
    const failures = { sinceMs: NOW_MS - 5000, untilMs, backoffMs: 15_000, count: 5, streak: 5, lastStatus: 500 }
    return [backend, { ...NO_CAUSES, backend, version: 1, failures: { ...failures, evidence: 'seen' } }]
  })
  const coolings = Object.entries(spec.cooling).map(([backend, untilMs]) => {
    return [backend, { sinceMs: NOW_MS - 5000, untilMs, evidence: 'seen', backoffMs: 15_000 }] as const
  })
  const policy = { ...DEFAULT_POLICY, ...spec.account }
  return {
    ...world,
    quarantine: new Map([...rows, ...world.quarantine]),
    coolings: new Map(coolings),
    triesLeastBad: spec.triesLeastBad,
    sticky: new Map(Object.entries(spec.sticky).map(([model, backend]) => [model, { backend, cachedTokens: 10 }])),
    homeRegions: spec.homeRegions,
    policy: mergePolicies(policy, DEFAULT_POLICY),
    context: {
      ...world.context,
      account: { ...account, policy, byokFallback: spec.neverFallsBack ? 'never' : account.byokFallback },
      key: { ...key, models: spec.models },
    },
  }
}

/** What is asked of the same models in turn: what was prepared for one operation serves no other. */
const asked = fc.record({
  spec: wishes,
  operation: fc.constantFrom<OperationName>('chat.completions', 'chat.completions', 'embeddings', 'messages'),
})

const agrees = (defect: RouteDefect | null) =>
  fc.property(
    worlds,
    surroundings,
    fc.array(asked, { minLength: REQUESTS, maxLength: REQUESTS }),
    (spec, around, all) => {
      const world = surrounded(worldFrom(spec), around)
      for (const one of all) {
        const wish = { ...wishFrom(one.spec), operation: one.operation }
        expect(planned(world, wish, defect)).toEqual(serialRoute(world, wish))
      }
    },
  )

function planned(world: World, wish: Wish, defect: RouteDefect | null): RoutePlan | null {
  const plan = planOf(world, wish)
  return plan === null || defect === null ? plan : defect(plan, wish)
}

test('every plan is that of the reference: the same candidates in the same order, the same skips', () => {
  fc.assert(agrees(null), { numRuns: RUNS })
})

test.each(Object.entries(routeDefects))('finds that %s', (_, defect) => {
  expect(fc.check(agrees(defect), { numRuns: 300, seed: 7, endOnFailure: true }).failed).toBe(true)
})
