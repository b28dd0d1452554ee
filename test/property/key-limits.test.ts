import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Admission, createAccounts, type Limits } from '../../src/accounts/index.ts'
import type { KeyLimits } from '../../src/domain/index.ts'
import { createExpiryClock } from '../../src/lib/index.ts'
import { fakeClock, settleMicrotasks } from '../support/fake-clock.ts'
import { seededRandom } from '../support/house.ts'
import { createStoreDouble } from '../support/store-double.ts'
import { testVault } from '../support/vault.ts'

// The limits of one key against a list of everything that was ever let in, asked anew each time: no window, no parts.

type Step =
  | { readonly kind: 'ask'; readonly prompt: number; readonly output: number | null }
  | { readonly kind: 'end'; readonly which: number; readonly tokens: number | null }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'restart' }

const MINUTE_MS = 60_000
const PART_MS = 1000
const GUESS = 40 // tokens of an answer whose limit nobody named

const limit = (max: number) => fc.option(fc.integer({ min: 1, max }))
const limits: fc.Arbitrary<KeyLimits> = fc.record({
  requestsPerMinute: limit(6),
  tokensPerMinute: limit(200),
  concurrency: limit(4),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      prompt: fc.nat(60),
      output: fc.option(fc.nat(90)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(9), tokens: fc.option(fc.nat(150)) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.oneof(fc.nat(1500), fc.nat(20_000), fc.constantFrom(1, PART_MS, MINUTE_MS - 1, MINUTE_MS)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)

/** One thing that was let in. */
interface Entered {
  readonly atMs: number
  requests: number
  tokens: number
}

class World {
  readonly double = createStoreDouble()
  readonly clock = fakeClock()
  readonly entered: Entered[] = []
  open: { readonly admission: Admission; readonly tokens: Entered | null }[] = []
  readonly #limits: KeyLimits
  room: Limits = this.#make()

  constructor(keyLimits: KeyLimits) {
    this.#limits = keyLimits
  }

  async take(one: Step): Promise<void> {
    if (!this.room.isOpen('key_1')) await this.room.open('key_1')
    switch (one.kind) {
      case 'ask':
        return this.#ask(one.prompt, one.output)
      case 'end':
        return this.#end(one.which, one.tokens)
      case 'time':
        return this.clock.advance(one.ms)
      case 'restart':
        // Drained: what was in progress has ended, what was counted is written.
        while (this.open.length > 0) this.#end(0, 5)
        await settleMicrotasks()
        this.room = this.#make()
    }
  }

  /** What any 60 s up to now have seen. */
  sum(what: 'requests' | 'tokens', afterMs: number): number {
    return this.entered.filter(({ atMs }) => atMs > afterMs).reduce((sum, one) => sum + one[what], 0)
  }

  #make(): Limits {
    const { reads, writer } = this.double
    const random = seededRandom()
    const { clock } = this
    const expiries = createExpiryClock(clock, () => {})
    return createAccounts({ reads, writer, vault: testVault(random), clock, expiries, random, onRead: () => {} }).limits
  }

  #ask(prompt: number, output: number | null): void {
    const { requestsPerMinute, tokensPerMinute, concurrency } = this.#limits
    const nowMs = this.clock.wallMs()
    const end = this.room.admit('key_1', this.#limits)
    if (end.kind === 'refused') {
      expect(end.max).toBe(this.#limits[end.limit] ?? Number.NaN)
      if (end.limit === 'concurrency') expect(this.open.length).toBe(concurrency ?? Number.NaN)
      else this.#expectFull('requests', 1, requestsPerMinute, end.retryAfterMs)
      return
    }
    expect(this.open.length).toBeLessThan(concurrency ?? Number.POSITIVE_INFINITY)
    if (requestsPerMinute !== null || tokensPerMinute !== null)
      this.entered.push({ atMs: nowMs, requests: 1, tokens: 0 })
    if (requestsPerMinute !== null)
      expect(this.sum('requests', nowMs - MINUTE_MS)).toBeLessThanOrEqual(requestsPerMinute)
    const whole = prompt + (output ?? GUESS)
    const least = output === null ? prompt : whole
    const refused = end.takeTokens(least, whole)
    if (tokensPerMinute === null) {
      expect(refused).toBeNull()
      this.open.push({ admission: end, tokens: null })
      return
    }
    const taken = Math.max(least, Math.min(whole, tokensPerMinute))
    if (refused !== null) {
      if (refused.retryAfterMs === null) expect(taken).toBeGreaterThan(tokensPerMinute)
      else this.#expectFull('tokens', taken, tokensPerMinute, refused.retryAfterMs)
      end.end()
      return
    }
    const tokens = { atMs: nowMs, requests: 0, tokens: taken }
    this.entered.push(tokens)
    expect(this.sum('tokens', nowMs - MINUTE_MS)).toBeLessThanOrEqual(tokensPerMinute)
    this.open.push({ admission: end, tokens })
  }

  /** Refused rightly: a part leaves as a whole, so what is counted is at most what 61 s have seen. */
  #expectFull(what: 'requests' | 'tokens', more: number, max: number | null, retryAfterMs: number | null): void {
    const nowMs = this.clock.wallMs()
    expect(max).not.toBeNull()
    expect(this.sum(what, nowMs - MINUTE_MS - PART_MS) + more).toBeGreaterThan(max ?? Number.NaN)
    expect(retryAfterMs).toBeGreaterThanOrEqual(1)
    expect(retryAfterMs).toBeLessThanOrEqual(MINUTE_MS)
  }

  #end(which: number, tokens: number | null): void {
    const one = this.open[which % Math.max(1, this.open.length)]
    if (one === undefined) return
    this.open = this.open.filter((other) => other !== one)
    if (one.tokens !== null) one.tokens.tokens = tokens ?? 0
    if (tokens !== null) one.admission.settle(tokens)
    one.admission.end()
  }
}

test('no minute sees more than the limits, none is refused without reason, restarts forget nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }),
      async (keyLimits, steps) => {
        const world = new World(keyLimits)
        for (const one of steps) await world.take(one)
        expect(world.room.inProgress).toBe(world.open.length)
        while (world.open.length > 0) await world.take({ kind: 'end', which: 0, tokens: 1 })
        expect(world.room.inProgress).toBe(0)
        world.clock.advance(MINUTE_MS)
        if (!world.room.isOpen('key_1')) await world.room.open('key_1')
        const end = world.room.admit('key_1', keyLimits)
        if (end.kind === 'refused') throw new Error('refused, though nothing was let in for a minute')
        end.end()
      },
    ),
    { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) },
  )
})
