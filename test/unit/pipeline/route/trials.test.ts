import { describe, expect, test } from 'bun:test'
import { type FailureCause, NO_CAUSES, type QuarantineRow } from '../../../../src/domain/index.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import type { World } from '../../../../src/pipeline/route/rule.ts'
import { markTrial } from '../../../../src/pipeline/route/trials.ts'
import { candidateOf, NOW_MS, ownSecret, worldOf } from './route-kit.ts'

const failures = (untilMs: number): FailureCause => ({
  sinceMs: NOW_MS - 5000,
  untilMs,
  backoffMs: 15_000,
  count: 5,
  streak: 5,
  lastStatus: 500,
  evidence: 'seen',
})
const FAULT = { cause: 'denied', reason: null, sinceMs: NOW_MS - 5, untilMs: NOW_MS + 5 } as const
const operator = { by: 'local:7', reason: 'a flood', sinceMs: NOW_MS - 1000, untilMs: NOW_MS + 5 }

function planOf(rows: Record<string, Partial<QuarantineRow>>, more: Partial<World> = {}) {
  const quarantine = new Map(Object.entries(rows).map(([backend, row]) => [backend, { ...NO_CAUSES, backend, ...row }]))
  const plan = route({ ...worldOf(), quarantine, ...more }, { model: 'acme/large' })
  return {
    candidates: plan.candidates.map(({ offer, trial }) => [offer.backend.id, trial]),
    skips: plan.skips.map(({ backend, rule }) => [backend, rule]),
  }
}

test('a backend that is to be proved keeps its place, and is marked', () => {
  expect(planOf({ north: { failures: failures(NOW_MS) } })).toEqual({
    candidates: [
      ['north', 'half_open'],
      ['south', undefined],
    ],
    skips: [],
  })
})

test('one that is not to be proved stays as it is', () => {
  const world = worldOf()
  const candidate = candidateOf(world, 'acme/large', 'north')
  const quarantine = new Map([['north', { ...NO_CAUSES, backend: 'north' }]])
  expect(markTrial(candidate, world)).toBe(candidate)
  expect(markTrial(candidate, { ...world, quarantine })).toBe(candidate)
})

describe('when all are out', () => {
  const rows = { north: { failures: failures(NOW_MS + 9000) }, south: { failures: failures(NOW_MS + 8000) } }

  test('nobody is tried, unless the operator wants it', () => {
    expect(planOf(rows)).toEqual({
      candidates: [],
      skips: [
        ['north', 'quarantined'],
        ['south', 'quarantined'],
      ],
    })
  })

  test('the one that comes in first is the least bad; of equals the first of the plan', () => {
    const triesLeastBad = true
    expect(planOf(rows, { triesLeastBad })).toEqual({
      candidates: [['south', 'least_bad']],
      skips: [['north', 'quarantined']],
    })
    const equal = { ...rows, south: rows.north }
    expect(planOf(equal, { triesLeastBad }).candidates).toEqual([['north', 'least_bad']])
  })

  test('one that is out for more than failures is not among them', () => {
    const south = { failures: failures(NOW_MS + 1), operator }
    expect(planOf({ ...rows, south }, { triesLeastBad: true }).candidates).toEqual([['north', 'least_bad']])
    const throttle = { ...failures(NOW_MS + 9), source: 'retry_after' } as const
    expect(planOf({ north: { throttle }, south: { throttle } }, { triesLeastBad: true }).candidates).toEqual([])
  })

  test('an own credential is tried there first, where it is used at all', () => {
    const own = [ownSecret('cred_1', 'acme')]
    const quarantine = new Map(
      Object.entries(rows).map(([backend, row]) => [backend, { ...NO_CAUSES, backend, ...row }]),
    )
    for (const byokFallback of ['shared', 'never'] as const) {
      const world = { ...worldOf({ own, account: { byokFallback } }), quarantine, triesLeastBad: true }
      const plan = route(world, { model: 'acme/large' })
      expect(plan.candidates.map((one) => [one.offer.backend.id, one.own?.id, one.trial])).toEqual([
        ['south', 'cred_1', 'least_bad'],
      ])
      expect(plan.skips.map(({ backend, credential }) => [backend, credential])).not.toContainEqual(['south', 'cred_1'])
    }
    const denied = { ...worldOf({ own, ownFaults: { cred_1: FAULT } }), quarantine, triesLeastBad: true }
    expect(route(denied, { model: 'acme/large' }).candidates).toMatchObject([{ offer: { backend: { id: 'south' } } }])
  })

  test('one that this account leaves alone counts by the later end', () => {
    const coolings = new Map([
      ['north', { sinceMs: NOW_MS, untilMs: NOW_MS + 500, backoffMs: 1, evidence: 'seen' }],
      ['south', { sinceMs: NOW_MS, untilMs: NOW_MS + 400, backoffMs: 1, evidence: 'seen' }],
    ])
    expect(planOf({}, { coolings }).skips).toEqual([
      ['north', 'cooling'],
      ['south', 'cooling'],
    ])
    const triesLeastBad = true
    expect(planOf({}, { coolings, triesLeastBad }).candidates).toEqual([['south', 'least_bad']])
    const south = { failures: failures(NOW_MS + 450) }
    expect(planOf({ south }, { coolings, triesLeastBad }).candidates).toEqual([['south', 'least_bad']])
    expect(planOf({ south: { failures: failures(NOW_MS + 600) } }, { coolings, triesLeastBad }).candidates).toEqual([
      ['north', 'least_bad'],
    ])
  })
})

test('what another filter drops is never tried', () => {
  const rows = { north: { failures: failures(NOW_MS + 9000) }, south: { failures: failures(NOW_MS + 9000) } }
  const quarantine = new Map(Object.entries(rows).map(([backend, row]) => [backend, { ...NO_CAUSES, backend, ...row }]))
  const plan = route({ ...worldOf(), quarantine, triesLeastBad: true }, { model: 'acme/unpriced' })
  expect(plan.candidates.map(({ offer }) => offer.backend.id)).toEqual(['south'])
})
