import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountContext, SortBy } from '../../src/domain/index.ts'
import { NO_PLACES } from '../../src/health/index.ts'
import { keepSession } from '../../src/pipeline/dispatch/keep-session.ts'
import { captureWorld, route } from '../../src/pipeline/route/index.ts'
import { createHouseDouble, type HouseDouble, MODEL } from '../support/house.ts'
import { worldOf } from '../unit/pipeline/route/route-kit.ts'
import { callAt, candidatesOf } from '../unit/pipeline/support.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const BACKENDS = ['north', 'south', 'east', 'west'] as const
const LIFE_MS = 60_000
const BY = { actor: 'local:7', claim: null }

const backend = fc.constantFrom(...BACKENDS)
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      account: fc.constantFrom('acc_1', 'acc_2'),
      session: fc.constantFrom('s', 't', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('out' as const), backend }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('in' as const), backend }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('seen' as const),
      backend,
      ms: fc.integer({ min: 1, max: 5000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 0, max: LIFE_MS * 1.2 }) }),
  },
)

const sort = fc.constantFrom<SortBy | null>(null, 'price', 'latency', 'throughput', 'uptime', 'weight')

/** A deliberate fault that the property must find. */
interface Defect {
  /** Whose session it is taken for. */
  readonly accountOf?: (account: string) => string
  /** Routing does not know where the session stays. */
  readonly isUnranked?: boolean
  readonly lifeMs?: number
}

const DEFECTS: Readonly<Record<string, Defect>> = {
  'accounts share their sessions': { accountOf: () => 'acc_1' },
  'the ranking is left out': { isUnranked: true },
  'a session lives too long': { lifeMs: LIFE_MS * 3 },
  'a session lives too short': { lifeMs: LIFE_MS / 3 },
}

/** The first candidate serves. Answers who that is, and what became of the session. */
function ask(world: HouseDouble, of: string, session: string | null, { accountOf, isUnranked }: Defect) {
  const account = accountOf?.(of) ?? of
  const { house } = world
  const { context } = worldOf()
  const asking: AccountContext = { ...context, account: { ...context.account, id: account } }
  const { call } = callAt(world)
  const captured = captureWorld(house, asking, session ?? undefined)
  const seen = isUnranked ? { ...captured, sticky: NO_PLACES } : captured
  const plan = route(seen, { model: MODEL, seed: call.requestId })
  expect(route(seen, { model: MODEL, seed: call.requestId })).toEqual(plan) // pure
  Object.assign(call, {
    accountId: account,
    skips: plan.skips,
    session: session === null ? null : { id: session, places: captured.sticky },
  })
  const candidates = candidatesOf(world)
  const serving = candidates.find(({ offer }) => offer.id === plan.candidates[0]?.offer.id)
  if (serving === undefined) return null
  keepSession(house, call, candidates, serving)
  return { by: serving.offer.backend.id, stickiness: call.stickiness }
}

/** What must hold of every session, whatever happens. */
const stays = (defect: Defect) =>
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), sort, async (steps, by) => {
    const backends = Object.fromEntries(BACKENDS.map((id) => [id, {}]))
    const stickyLifeMs = defect.lifeMs ?? LIFE_MS
    const world = createHouseDouble({ backends, stickyLifeMs, routing: { sort: by }, balanceUsd: null })
    const { health } = world.house
    const out = new Set<string>()
    const known = new Map<string, { readonly by: string; readonly atMs: number }>()
    for (const one of steps) {
      if (one.kind === 'time') world.clock.advance(one.ms)
      else if (one.kind === 'seen') see(world, one)
      else if (one.kind === 'out') {
        out.add(one.backend)
        await health.set({ backend: one.backend, reason: 'x', forMs: null }, BY)
      } else if (one.kind === 'in') {
        out.delete(one.backend)
        await health.clear(one.backend, BY)
      } else {
        const served = ask(world, one.account, one.session, defect)
        expect(served === null).toBe(out.size === BACKENDS.length)
        if (served === null || one.session === null) continue
        const name = `${one.account} ${one.session}`
        const nowMs = world.clock.wallMs()
        const before = known.get(name)
        known.set(name, { by: served.by, atMs: nowMs })
        if (before === undefined || nowMs - before.atMs >= LIFE_MS) expect(served.stickiness).toEqual({ kind: 'new' })
        else if (out.has(before.by))
          expect(served.stickiness).toMatchObject({ kind: 'moved', from: before.by, rule: 'quarantined' })
        else expect(served).toEqual({ by: before.by, stickiness: { kind: 'kept' } })
      }
    }
  })

test('a session leaves its backend only when that one is out, or its life is over, and says why', () =>
  fc.assert(stays({}), { numRuns: RUNS }))

test.each(Object.entries(DEFECTS))('finds that %s', async (_, defect) => {
  expect((await fc.check(stays(defect), { numRuns: 300, seed: 7, endOnFailure: true })).failed).toBe(true)
})

/** An attempt at a backend. */
function see({ house, offers }: HouseDouble, seen: { backend: string; ms: number }): void {
  const offer = offers().find((one) => one.backend.id === seen.backend)
  if (offer === undefined) return
  const claim = house.health.claim(offer.backend, true, true)
  if (typeof claim === 'string') return
  const sent = { claim, offer: offer.id, accountId: 'acc_3', credential: null }
  house.health.contentBegan(sent, seen.ms * 1000)
  const answer = { tokens: seen.ms, us: 1_000_000 }
  house.health.attemptEnded({ ...sent, outcome: { kind: 'succeeded' }, sent: true, blame: 'cleared', answer })
  house.health.release(claim)
}
