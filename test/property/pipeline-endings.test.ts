import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type KeyBudgets, money } from '../../src/domain/index.ts'
import type { ExchangeDouble } from '../support/agent-double.ts'
import { ask } from '../support/ask.ts'
import { settleMicrotasks } from '../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble } from '../support/house.ts'
import { send, status } from '../support/script.ts'
import { completion, done, finish, role, text, usage } from '../support/sse.ts'
import { breathe } from '../support/wire.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const BACKENDS = ['north', 'south'] as const

/** One thing that happens: to the `at`-th request, to the `at`-th open exchange, or to all. */
type Step =
  | { readonly kind: 'ask'; readonly stream: boolean }
  | { readonly kind: 'leave' | 'read' | 'cancel'; readonly at: number }
  | { readonly kind: 'play'; readonly at: number; readonly chance: number }
  | { readonly kind: 'disk'; readonly what: 'holdBack' | 'letGo' | 'commit' | 'acknowledge' | 'fail' | 'heal' }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'turn' }

const HEAD = { status: 200, headers: { 'content-type': 'text/event-stream' } }

type PlayStep = (exchange: ExchangeDouble) => void

/** How an answer may begin, and how one that has begun may go on; `either` fits always. */
const PLAYS = {
  begin: {
    head: (exchange) => exchange.play(HEAD, role()),
    content: (exchange) => exchange.play(HEAD, role(), text('hello')),
    whole: (exchange) => exchange.play(completion('hello', 10, 5)),
    failed: (exchange) => exchange.play(status(500)),
    refused: (exchange) => exchange.play(status(400)),
    unsent: (exchange) => exchange.unsent(),
  },
  goOn: {
    text: (exchange) => exchange.play(text('hello')),
    finish: (exchange) => exchange.play(finish(), usage(10, 3)),
    complete: (exchange) => exchange.play(finish(), done(), { end: true }),
    end: (exchange) => exchange.play({ end: true }),
    error: (exchange) => exchange.play(send('data: {"error":{"message":"busy"}}\n\n')),
  },
  either: {
    written: (exchange) => exchange.written(),
    reset: (exchange) => exchange.fail('reset'),
    idle: (exchange) => exchange.fail('idle_timeout'),
    broken: (exchange) => exchange.breakReader(),
  },
} as const satisfies Record<string, Record<string, PlayStep>>

const at = fc.nat({ max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), stream: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('leave' as const, 'read' as const, 'cancel' as const), at }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('play' as const),
      at,
      chance: fc.nat({ max: 999 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('disk' as const),
      what: fc.constantFrom('holdBack', 'letGo', 'commit', 'acknowledge', 'fail', 'heal'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(1, 1, 1, 60, 5000, 60_000, 120_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'stop' } as const) },
  { weight: 8, arbitrary: fc.constant({ kind: 'turn' } as const) },
) as fc.Arbitrary<Step>

/** Everything that waits for nothing but its turn. */
async function turn(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await breathe()
    await settleMicrotasks()
  }
}

interface Asked {
  readonly leave: () => void
  readonly answer: Promise<Response>
  response: Response | null
  reader: { read(): Promise<unknown>; cancel(): Promise<void> } | null
}

const BUDGETS: KeyBudgets = { total: money(30_000_000), day: null, week: money(20_000_000), month: null }

class Play {
  readonly world: HouseDouble = createHouseDouble({
    balanceUsd: '0.05',
    routing: { heartbeatAfterMs: 50 },
    terms: { budgets: BUDGETS, limits: { requestsPerMinute: 30, tokensPerMinute: 5000, concurrency: 3 } },
    backends: { north: { slots: 1 }, south: { slots: 1 } },
  })
  readonly asked: Asked[] = []
  readonly #begun = new Set<ExchangeDouble>()

  async do(step: Step): Promise<void> {
    if (step.kind === 'ask') this.#ask(step.stream)
    else if (step.kind === 'leave') this.asked[step.at]?.leave()
    else if (step.kind === 'read')
      void this.#reader(step.at)
        ?.read()
        .catch(() => {})
    else if (step.kind === 'cancel')
      void this.#reader(step.at)
        ?.cancel()
        .catch(() => {})
    else if (step.kind === 'play') this.#play(step.at, step.chance)
    else if (step.kind === 'disk') this.world.store.disk[step.what]()
    else if (step.kind === 'time') this.world.clock.advance(step.ms)
    else if (step.kind === 'stop')
      this.world.traffic.endAll() // all that runs; what is asked afterwards is served
    else await turn()
  }

  /** Everybody leaves, the disk works: now all must come to rest. */
  async end(): Promise<void> {
    const { disk } = this.world.store
    disk.heal()
    disk.letGo()
    for (const { leave } of this.asked) leave()
    await Promise.all(this.asked.map(({ answer }) => answer))
  }

  #ask(stream: boolean): void {
    const { leave, answer } = ask(this.world, { stream, max_tokens: 1000 })
    const one: Asked = { leave, answer, response: null, reader: null }
    answer.then((response) => {
      one.response = response
    })
    this.asked.push(one)
  }

  #reader(at: number): Asked['reader'] {
    const one = this.asked[at]
    if (one === undefined || one.response === null) return null
    one.reader ??= one.response.body?.getReader() ?? null
    return one.reader
  }

  #play(at: number, chance: number): void {
    const open = BACKENDS.flatMap((name) => this.world.agent(name).exchanges).filter(({ state }) => state === 'open')
    const exchange = open[at % Math.max(1, open.length)]
    if (exchange === undefined) return
    const fitting: PlayStep[] = Object.values(this.#begun.has(exchange) ? PLAYS.goOn : PLAYS.begin)
    const all = chance < 850 ? fitting : Object.values(PLAYS.either)
    if (chance < 850) this.#begun.add(exchange)
    all[chance % all.length]?.(exchange)
  }
}

test('whatever happens in whatever order: every slot, hold, timer and place in line comes back, money is exact', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => {
      await using play = Object.assign(new Play(), {
        [Symbol.asyncDispose]: () => play.world[Symbol.asyncDispose](),
      })
      for (const one of steps) {
        await play.do(one)
        if (play.world.house.ledger.isOpen('acc_test')) expect(play.world.funds().available).toBeGreaterThanOrEqual(0)
      }
      await play.end()
      await turn()
      play.world.takeErrors() // the bugs that were played
      const { records, settlements } = play.world.store.tables
      const { ledger } = play.world.house
      if (ledger.isKeyOpen('key_test')) {
        const charged = [...settlements.values()].reduce((sum, row) => sum + row.charged, 0)
        expect(ledger.budgetLeft('key_test', BUDGETS)).toMatchObject({
          name: 'week',
          left: money(Math.max(0, 20_000_000 - charged)),
        })
      }
      for (const { requestId, charged, cost, end } of settlements.values()) {
        expect(charged).toBeLessThanOrEqual(cost)
        if (end === 'voided') expect(charged).toBe(0 as typeof charged)
        const record = records.get(requestId)
        const last = record?.attempts.at(-1)
        if (end === 'settled' && last?.outcome === 'cancelled') expect(last.absorbed).toBe(false)
        if (record?.status === 200 && record.errorCode === null) expect(end).toBe('settled')
      }
    }),
    { numRuns: RUNS },
  )
})
