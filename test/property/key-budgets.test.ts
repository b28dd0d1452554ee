import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type BudgetName,
  budgetDays,
  budgetEndMs,
  dayOf,
  type KeyBudgets,
  type Money,
  money,
  NO_TERMS,
} from '../../src/domain/index.ts'
import { createLedger, type Ledger } from '../../src/ledger/index.ts'
import { fakeClock, settleMicrotasks } from '../support/fake-clock.ts'
import { createStoreDouble } from '../support/store-double.ts'
import { COVERED, settled, voided } from '../unit/ledger/ledger-kit.ts'
import { SILENT } from './ledger-model.ts'

// The budgets of one key against a list of all its requests, summed up anew each time: no counters, no windows, no reads.

type Step =
  | { readonly do: 'hold'; readonly amount: number }
  | { readonly do: 'settle'; readonly nth: number; readonly charged: number }
  | { readonly do: 'settleWithHold'; readonly nth: number; readonly charged: number }
  | { readonly do: 'void'; readonly nth: number }
  | { readonly do: 'other'; readonly isAlone: boolean }
  | { readonly do: 'extend'; readonly nth: number; readonly amount: number }
  | { readonly do: 'time'; readonly ms: number }
  | { readonly do: 'disk'; readonly what: 'holdBack' | 'letGo' | 'commit' | 'fail' | 'heal' }
  | { readonly do: 'acknowledge'; readonly nth: number }
  | { readonly do: 'reads'; readonly what: 'holdBack' | 'release' | 'letGo' }
  | { readonly do: 'open' | 'turn' | 'restart' }

const is = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names)
const nth = fc.nat(9)
const HOUR_MS = 3_600_000

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: is('hold'), amount: fc.nat(40) }) },
  { weight: 6, arbitrary: fc.record({ do: is('settle'), nth, charged: fc.nat(50) }) },
  { weight: 4, arbitrary: fc.record({ do: is('settleWithHold'), nth, charged: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: is('void'), nth }) },
  { weight: 3, arbitrary: fc.record({ do: is('other'), isAlone: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: is('extend'), nth, amount: fc.nat(40) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('time'),
      ms: fc.constantFrom(1, 500, HOUR_MS, 9 * HOUR_MS, 24 * HOUR_MS, 120 * HOUR_MS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: is('disk'), what: is('holdBack', 'letGo', 'commit', 'fail', 'heal') }),
  },
  // Whoever waits is told in turns: those of a later batch may be told before the last of an earlier one.
  { weight: 2, arbitrary: fc.record({ do: is('acknowledge'), nth: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: is('reads'), what: is('holdBack', 'release', 'letGo') }) },
  { weight: 3, arbitrary: fc.record({ do: is('open') }) },
  { weight: 3, arbitrary: fc.record({ do: is('turn') }) },
  { weight: 1, arbitrary: fc.record({ do: is('restart') }) },
)

const amount = fc.option(fc.integer({ min: 1, max: 300 }).map(money))
const budgets: fc.Arbitrary<KeyBudgets> = fc.record({ total: amount, day: amount, week: amount, month: amount })

interface Request {
  readonly id: string
  readonly openedAtMs: number
  /** Null: they were not known when it was let in, so that they never bind it. */
  readonly budgets: KeyBudgets | null
  held: number
  charged: number | null
  /** Its settlement is being written in its hold's place. */
  isEnding: boolean
}

class World {
  readonly double = createStoreDouble()
  readonly clock = fakeClock()
  readonly requests: Request[] = []
  #others = 0
  readonly budgets: KeyBudgets
  ledger: Ledger

  constructor(keyBudgets: KeyBudgets) {
    this.budgets = keyBudgets
    this.double.seedAccount({ id: 'acc_1', kind: 'unmetered' })
    this.ledger = this.#life()
  }

  #life(): Ledger {
    const { reads, writer } = this.double
    const ledger = createLedger({ reads, writer, clock: this.clock, log: SILENT, onEvict: () => {} })
    const account = { id: 'acc_1', name: 'acc_1', kind: 'unmetered', disabled: false, ...NO_TERMS, version: 1 } as const
    ledger.open({ account, balance: money(0) })
    return ledger
  }

  get open(): Request[] {
    return this.requests.filter(({ charged, isEnding }) => charged === null && !isEnding)
  }

  get isEnding(): boolean {
    return this.requests.some(({ charged, isEnding }) => charged === null && isEnding)
  }

  async take(one: Step): Promise<void> {
    const { disk, readGate } = this.double
    switch (one.do) {
      case 'hold':
        return this.#hold(one.amount)
      case 'settle':
        return this.#end(one.nth, one.charged)
      case 'settleWithHold':
        return this.#endWithHold(one.nth, one.charged)
      case 'void':
        return this.#end(one.nth, null)
      case 'other':
        return this.#other(one.isAlone)
      case 'extend':
        return this.#extend(one.nth, one.amount)
      case 'time':
        return this.clock.advance(one.ms)
      case 'disk':
        return disk[one.what]()
      case 'acknowledge':
        return disk.acknowledge(one.nth)
      case 'reads':
        return void readGate[one.what]()
      case 'open':
        return void this.ledger.openKey('key_1').catch(() => {}) // its reads may be late: then it is opened again
      case 'turn':
        return settleMicrotasks()
      case 'restart':
        return this.restart()
    }
  }

  /** Drained: all has ended and is on disk. */
  async restart(): Promise<void> {
    const { disk, readGate } = this.double
    disk.heal()
    disk.letGo()
    readGate.letGo()
    await settleMicrotasks()
    while (this.open.length > 0) this.#end(0, 3)
    await settleMicrotasks()
    this.ledger = this.#life()
  }

  /** As `reserve` does: with budgets no more than they leave. */
  #hold(wanted: number): void {
    if (!this.double.writer.accepting()) return
    const left = this.ledger.isKeyOpen('key_1') ? this.ledger.budgetLeft('key_1', this.budgets)?.left : undefined
    if (left !== undefined && wanted > left) return
    const id = `req_${this.requests.length}`
    const wish = { requestId: id, accountId: 'acc_1', keyId: 'key_1', amount: money(wanted), covers: [COVERED] }
    const hold = this.ledger.hold(wish)
    if (hold === null) throw new Error('an unmetered account was refused')
    const known = this.ledger.isKeyOpen('key_1') ? this.budgets : null
    const request: Request = {
      id,
      openedAtMs: this.clock.wallMs(),
      budgets: known,
      held: wanted,
      charged: null,
      isEnding: false,
    }
    this.requests.push(request)
    hold.durable.catch(() => {
      request.charged ??= 0 // it is not on disk, and nothing was charged
    })
  }

  /** What budgets allow a request beside what it holds, in the windows of its hold. */
  #leftFor({ budgets: known, openedAtMs }: Request): number {
    return known === null ? Number.POSITIVE_INFINITY : (this.left(openedAtMs) ?? Number.POSITIVE_INFINITY)
  }

  /** As the relay does with a stream. */
  #extend(which: number, wanted: number): void {
    const request = this.open[which % Math.max(1, this.open.length)]
    if (request === undefined) return
    const left = this.#leftFor(request)
    const taken = this.ledger.extend(request.id, money(wanted), request.budgets)
    expect<number>(taken).toBe(Math.min(wanted, left))
    request.held += taken
  }

  #end(which: number, charged: number | null): void {
    const request = this.open[which % Math.max(1, this.open.length)]
    if (request === undefined) return
    const ending = charged === null ? voided(request.id) : settled(request.id, charged)
    request.charged = Math.min(charged ?? 0, request.held + this.#leftFor(request))
    const { charged: found, overrun } = this.ledger.settle(ending, request.budgets)
    expect<number>(found).toBe(request.charged)
    expect<number>(overrun).toBe((charged ?? 0) - request.charged)
  }

  #endWithHold(which: number, charged: number): void {
    const request = this.open[which % Math.max(1, this.open.length)]
    if (request === undefined) return
    const ended = this.ledger.settleWithHold(settled(request.id, charged))
    if (ended === null) return
    request.isEnding = true
    ended.then(
      () => {
        request.charged = charged
      },
      () => {
        request.charged = 0
      },
    )
  }

  /** A request of another key, which is over at once. */
  #other(isAlone: boolean): void {
    if (!this.double.writer.accepting()) return
    const requestId = `req_other_${this.#others++}`
    this.ledger.hold({ requestId, accountId: 'acc_1', keyId: 'key_2', amount: money(5), covers: [COVERED] })
    if (isAlone) this.ledger.settleWithHold(settled(requestId, 4))?.catch(() => {})
    else this.ledger.settle(settled(requestId, 4))
  }

  /** What the tightest budget leaves in the windows of a time, from the list. */
  left(atMs = this.clock.wallMs()): number | null {
    const days = { total: 0, ...budgetDays(atMs) }
    const lefts = (Object.entries(this.budgets) as [BudgetName, Money | null][]).flatMap(([name, budget]) => {
      if (budget === null) return []
      const endMs = budgetEndMs(name, atMs) ?? Number.POSITIVE_INFINITY
      const inWindow = this.requests.filter(({ openedAtMs }) => dayOf(openedAtMs) >= days[name] && openedAtMs < endMs)
      return [Math.max(0, budget - inWindow.reduce((sum, { charged, held }) => sum + (charged ?? held), 0))]
    })
    return lefts.length === 0 ? null : Math.min(...lefts)
  }

  compare(): void {
    if (!this.ledger.isKeyOpen('key_1')) return
    const found = this.ledger.budgetLeft('key_1', this.budgets)
    expect<number | null>(found?.left ?? null).toBe(this.left())
    if (found !== null) expect(found.endsAtMs).toBe(budgetEndMs(found.name, this.clock.wallMs()))
  }
}

test('what budgets leave is what the list of all requests says, whenever the key is opened and whatever the disk does', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      budgets,
      fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }),
      async (keyBudgets, steps) => {
        const world = new World(keyBudgets)
        for (const one of steps) {
          await world.take(one)
          // What became of an ending and of a hold is told here a turn later than to the ledger.
          if (world.isEnding || world.double.disk.unacknowledged === 0) await settleMicrotasks()
          world.compare()
          if (world.ledger.isKeyOpen('key_1')) compared += 1
        }
        await world.restart()
        await world.ledger.openKey('key_1')
        world.compare()
        expect((await world.double.reader.verify()).faults).toEqual([])
      },
    ),
    { numRuns: Number(process.env.ANYROUTER_RUNS ?? 100) },
  )
  expect(compared).toBeGreaterThan(100)
})
