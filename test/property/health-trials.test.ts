import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { OperatorCredential, Outcome } from '../../src/domain/index.ts'
import { consequenceOf } from '../../src/domain/index.ts'
import type { Claim, Health } from '../../src/health/index.ts'
import {
  denied,
  FAILED,
  healthWorld,
  MAIN,
  NORTH,
  OK,
  SPARE,
  said,
  throttled,
  UNSENT,
} from '../unit/health/health-kit.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const OUTCOMES: readonly Outcome[] = [
  OK,
  FAILED,
  UNSENT,
  throttled(2000),
  throttled(null, 529),
  denied(),
  denied(403),
  { kind: 'refused', error: said(400), usage: null },
  { kind: 'cancelled', by: 'client', sent: true },
]
const BY = { actor: 'local:7', claim: null }

type Step =
  | { readonly kind: 'claim'; readonly leastBad: boolean }
  | { readonly kind: 'end'; readonly which: number; readonly outcome: Outcome; readonly accountId: string }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'step'; readonly ms: number }
  | { readonly kind: 'operator'; readonly sets: boolean }

const which = fc.nat({ max: 10 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('claim' as const), leastBad: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which,
      outcome: fc.oneof({ weight: 2, arbitrary: fc.constant(FAILED) }, fc.constantFrom(...OUTCOMES)),
      accountId: fc.constantFrom('acc_1', 'acc_2'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 1000, 15_000, 60_000, 700_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      ms: fc.constantFrom(-86_400_000, -500, 500, 86_400_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('operator' as const), sets: fc.boolean() }) },
)

interface Held {
  readonly claim: Claim
  readonly credential: OperatorCredential
}

/** What holds of the room of health, whatever comes. `spoil` breaks it on purpose. */
const soundTrials = (spoil: (health: Health) => Partial<Health> = () => ({})) =>
  fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => {
    const { health: whole, clock } = healthWorld()
    const health: Health = { ...whole, ...spoil(whole) }
    let held: Held[] = []
    const trials = () => held.filter(({ claim }) => claim.isTrial)

    function claim(leastBad: boolean): void {
      const state = health.stateOf('north')
      const onlyFailures = health.exclusion('north')?.cause === 'failures'
      const claimed = health.claim(NORTH, leastBad)
      if (claimed === 'out') expect(state).toBe('out')
      else if (claimed === 'trial_running') {
        expect(trials()).toHaveLength(1)
        expect(state === 'half_open' || (state === 'out' && leastBad)).toBe(true)
      } else {
        if (claimed.isTrial) expect(trials()).toEqual([])
        else expect(state).toBe('in')
        if (state === 'out') expect(leastBad && onlyFailures).toBe(true)
        const [credential = MAIN] = health.credentials(claimed)
        expect([MAIN, SPARE]).toContain(credential)
        held.push({ claim: claimed, credential })
      }
    }

    for (const one of steps) {
      const at = held[('which' in one ? one.which : 0) % Math.max(1, held.length)]
      if (one.kind === 'claim') claim(one.leastBad)
      else if (one.kind === 'time') clock.advance(one.ms)
      else if (one.kind === 'step') clock.stepWall(one.ms)
      else if (one.kind === 'operator')
        await (one.sets ? health.set({ backend: 'north', reason: 'x', forMs: 5000 }, BY) : health.clear('north', BY))
      else if (at !== undefined) {
        if (one.kind === 'end') {
          const { outcome, accountId } = one
          const { blame } = consequenceOf(outcome, { sent: true, hasCredential: true })
          health.attemptEnded({ ...at, offer: 'north/m', accountId, outcome, sent: true, blame })
        }
        health.release(at.claim)
        held = held.filter((other) => other !== at)
      }
      expect(trials().length).toBeLessThanOrEqual(1)
      for (const row of health.rows())
        for (const cause of [row.failures, row.throttle, ...row.credentials])
          if (cause !== null) expect(cause.untilMs - clock.wallMs()).toBeLessThanOrEqual(600_000)
    }

    // None is lost: when all have ended and all times are over, somebody may try.
    for (const { claim: left } of held) health.release(left)
    clock.advance(700_000)
    expect(typeof health.claim(NORTH, false)).toBe('object')
  })

test('whatever comes: nothing is sent to a backend that is out, one trial at a time, none is lost, no cause lasts too long', async () => {
  await fc.assert(soundTrials(), { numRuns: RUNS })
})

const OPEN: Claim = { backend: NORTH, isTrial: false, number: 0 }

const DEFECTS: Readonly<Record<string, (health: Health) => Partial<Health>>> = {
  'what is out is sent to all the same': (health) => ({
    claim(...args) {
      const claimed = health.claim(...args)
      return claimed === 'out' ? OPEN : claimed
    },
  }),
  'two trials at a time': (health) => ({
    claim(...args) {
      const claimed = health.claim(...args)
      return claimed === 'trial_running' ? { ...OPEN, isTrial: true } : claimed
    },
  }),
  'a trial is not told as one': (health) => ({
    claim(...args) {
      const claimed = health.claim(...args)
      return typeof claimed === 'string' ? claimed : { ...claimed, isTrial: false }
    },
  }),
  'a trial is never given back': () => ({ release: () => {} }),
  'the least bad is tried though its credential was refused': (health) => ({
    claim(backend, leastBad) {
      const claimed = health.claim(backend, leastBad)
      return claimed === 'out' && leastBad ? { ...OPEN, isTrial: true } : claimed
    },
  }),
  'a cause lasts as long as a provider says': (health) => ({
    rows: () =>
      health.rows().map((row) => ({
        ...row,
        throttle: row.throttle === null ? null : { ...row.throttle, untilMs: row.throttle.untilMs + 3_600_000 },
      })),
  }),
}

describe('a seeded defect is found', () => {
  for (const [name, spoil] of Object.entries(DEFECTS)) {
    test(name, async () => {
      const result = await fc.check(soundTrials(spoil), { seed: 1, numRuns: 300, endOnFailure: true })
      expect(result.failed).toBe(true)
    })
  }
})
