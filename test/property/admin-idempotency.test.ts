import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ACCOUNT } from '../support/house.ts'
import { type AdminWorld, adminWorld } from '../unit/http/admin/support.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

interface Ask {
  readonly key: string | null
  /** What is asked for: nano-dollars, in or out. */
  readonly nano: number
}

type Step =
  | { readonly kind: 'ask'; readonly asks: readonly Ask[] }
  | { readonly kind: 'fail' }
  | { readonly kind: 'heal' }
  | { readonly kind: 'forget' }

const ask: fc.Arbitrary<Ask> = fc.record({
  key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 5 }),
  nano: fc.constantFrom(1, 5, -1, -5, -40),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), asks: fc.array(ask, { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'fail' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'heal' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forget' as const }) },
)

const START = 30
const DAY_MS = 86_400_000

/** What the first success of each key was: nothing else may ever be answered 201 under it. */
type Firsts = Map<string, { readonly nano: number; readonly body: string }>

async function send(world: AdminWorld, { key, nano }: Ask) {
  const usd = `${nano < 0 ? '-' : ''}0.${String(Math.abs(nano)).padStart(9, '0')}`
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
  const wish = { account: ACCOUNT, kind: 'adjustment', usd }
  const { status, body, headers: got } = await world.call('POST', '/credits', wish, headers)
  const text = JSON.stringify(body)
  return { key, nano, status, code: body.error?.code, text, isReplay: got.get('idempotent-replayed') !== null }
}

/** Sends all at once; answers how much was moved, as far as the answers say. */
async function askAll(world: AdminWorld, asks: readonly Ask[], firsts: Firsts, failing: boolean): Promise<number> {
  const known = new Map(firsts)
  const answers = await Promise.all(asks.map((one) => send(world, one)))
  const done = answers.filter(({ status, isReplay }) => status === 201 && !isReplay)
  for (const { key, nano, text } of done) {
    if (key === null) continue
    expect(firsts.has(key)).toBe(false)
    firsts.set(key, { nano, body: text })
  }
  for (const { key, nano, status, code, text, isReplay } of answers) {
    const first = firsts.get(key ?? '')
    if (isReplay) expect({ status, text }).toEqual({ status: 201, text: first?.body ?? 'never done' })
    // A key that was known before is answered from what is kept, even while nothing can be written.
    if (known.has(key ?? '')) expect(code ?? isReplay).toBe(first?.nano === nano ? true : 'idempotency_key_reused')
    else if (status !== 201) {
      const refusals = ['conflict', failing ? 'storage_unavailable' : '', first ? 'idempotency_key_reused' : '']
      expect(refusals).toContain(code)
    }
  }
  return done.reduce((sum, { nano }) => sum + nano, 0)
}

test('whatever is repeated, mixed up or fails in between: one effect for each key, and always the same answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await using world = adminWorld({ balanceUsd: `0.0000000${START}` })
      const firsts: Firsts = new Map()
      let expected = START
      let failing = false
      for (const one of steps) {
        if (one.kind === 'ask') expected += await askAll(world, one.asks, firsts, failing)
        if (one.kind === 'fail') {
          world.store.disk.fail()
          failing = true
        }
        if (one.kind === 'heal') {
          world.store.disk.heal()
          failing = false
        }
        if (one.kind === 'forget' && !failing) {
          world.clock.advance(DAY_MS + 1)
          await world.store.writer.forgetAnswers(world.clock.wallMs() - DAY_MS)
          firsts.clear()
        }
      }
      world.store.disk.heal()
      world.takeErrors()
      const { accounts, entries, audit } = world.store.tables
      expect(Number(accounts.get(ACCOUNT)?.balance)).toBe(expected)
      expect(audit).toHaveLength(entries.length - 1) // the first entry is the test's own
    }),
    { numRuns: RUNS },
  )
})

test('what the property looks for can be seen: without the kept answers the same request moves money again', async () => {
  await using world = adminWorld({ balanceUsd: '1.00' })
  const one: Ask = { key: 'a', nano: -5 }
  const first = await send(world, one)
  world.store.tables.keptAnswers.clear()
  const second = await send(world, one)
  expect([first.isReplay, second.isReplay]).toEqual([false, false])
  expect(second.text).not.toBe(first.text)
})
