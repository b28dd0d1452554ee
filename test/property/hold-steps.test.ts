import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type KeyBudgets, money } from '../../src/domain/index.ts'
import type { ExchangeDouble } from '../support/agent-double.ts'
import { ask } from '../support/ask.ts'
import { settleMicrotasks } from '../support/fake-clock.ts'
import { ACCOUNT, createHouseDouble, type HouseDouble } from '../support/house.ts'
import { done, finish, role, text, usage } from '../support/sse.ts'
import { breathe } from '../support/wire.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const HEAD = { status: 200, headers: { 'content-type': 'text/event-stream' } }
/** A step is 100 tokens of 3 bytes; no read has more than 18, so that four fifths of a hold and one read more are within it. */
const STEPS = { outputReserveTokens: 100, outputCapTokens: 200 }
const READ_BYTES_MAX = 54
/** 4,000 nano-dollars a token of the answer: a few hundred tokens for all. */
const TOKEN_NANO = 4000
const TOKENS_MAX = 400

type Step =
  | { readonly do: 'ask'; readonly limit: number | undefined; readonly choices: number }
  | { readonly do: 'text'; readonly at: number; readonly bytes: number }
  | { readonly do: 'finish' | 'leave' | 'reset'; readonly at: number }
  | { readonly do: 'time'; readonly ms: number }

const at = fc.nat({ max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      limit: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 600 })),
      choices: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({ do: fc.constant('text' as const), at, bytes: fc.integer({ min: 1, max: READ_BYTES_MAX }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('finish' as const, 'leave' as const, 'reset' as const), at }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.constantFrom(1, 5000) }) },
)

interface Payer {
  readonly balanceTokens: number
  readonly budgetTokens: number | null
  readonly isUnmetered: boolean
}
const payer: fc.Arbitrary<Payer> = fc.record({
  balanceTokens: fc.integer({ min: 100, max: 400 }),
  budgetTokens: fc.option(fc.integer({ min: 100, max: 400 })),
  isUnmetered: fc.boolean(),
})

const usd = (tokens: number): string => ((tokens * TOKEN_NANO) / 1e9).toFixed(9)

/** Several streams of one account, of one key. */
class Play {
  readonly world: HouseDouble
  readonly #payer: Payer
  readonly #leavers: (() => void)[] = []
  readonly #answers: Promise<Response>[] = []
  readonly #said = new Map<ExchangeDouble, number>()

  constructor(who: Payer) {
    this.#payer = who
    const { balanceTokens, budgetTokens, isUnmetered } = who
    const total = budgetTokens === null ? null : money(budgetTokens * TOKEN_NANO)
    const budgets: KeyBudgets | null = total === null ? null : { total, day: null, week: null, month: null }
    this.world = createHouseDouble({
      balanceUsd: isUnmetered ? null : usd(balanceTokens),
      money: STEPS,
      terms: { budgets },
      backends: {
        north: { slots: 50, price: { input: 0, output: TOKEN_NANO * 1_000_000 }, outputTokensMax: TOKENS_MAX },
      },
    })
  }

  get #exchanges() {
    return this.world.agent('north').exchanges.filter(({ state }) => state === 'open')
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'ask') this.#ask(one.limit, one.choices)
    else if (one.do === 'time') this.world.clock.advance(one.ms)
    else if (one.do === 'leave') this.#leavers[one.at]?.()
    else {
      const exchange = this.#exchanges[one.at]
      if (one.do === 'text' && exchange !== undefined) this.#say(exchange, one.bytes)
      else if (one.do === 'reset') exchange?.fail('reset')
      else exchange?.play(finish(), usage(10, 1), done(), { end: true })
    }
    await breathe()
    await settleMicrotasks()
    this.compare()
  }

  /** A provider keeps to the limit that it was sent, and to its own. */
  #say(exchange: ExchangeDouble, bytes: number): void {
    const { max_tokens: limit = TOKENS_MAX, n = 1 } = exchange.sentJson
    const said = this.#said.get(exchange) ?? 0
    const left = Math.min(Number(limit), TOKENS_MAX) * Number(n) * 3 - said
    const saying = Math.min(bytes, left)
    if (saying <= 0) return
    this.#said.set(exchange, said + saying)
    exchange.play(text('x'.repeat(saying)))
  }

  #ask(limit: number | undefined, choices: number): void {
    const before = this.world.agent('north').exchanges.length
    const { leave, answer } = ask(this.world, { stream: true, max_tokens: limit, n: choices })
    this.#leavers.push(leave)
    this.#answers.push(answer)
    void answer.then(async ({ body }) => {
      const reader = body?.getReader()
      while (reader !== undefined && !(await reader.read().catch(() => ({ done: true }))).done);
    })
    void settleMicrotasks().then(() => this.world.agent('north').exchanges[before]?.play(HEAD, role()))
  }

  /** Nothing that is held or charged is more than there is, whatever streams have grown to. */
  compare(): void {
    const { balanceTokens, budgetTokens, isUnmetered } = this.#payer
    const { ledger } = this.world.house
    if (!ledger.isOpen(ACCOUNT)) return
    const { available, balance, held } = ledger.funds(ACCOUNT)
    const charged = (isUnmetered ? 0 : balanceTokens * TOKEN_NANO) - balance
    if (!isUnmetered) expect(available).toBeGreaterThanOrEqual(0)
    if (budgetTokens !== null) expect(charged + held).toBeLessThanOrEqual(budgetTokens * TOKEN_NANO)
    for (const { overrun } of this.world.store.tables.settlements.values()) expect(overrun).toBe(money(0))
  }

  async end(): Promise<void> {
    for (const leave of this.#leavers) leave()
    await Promise.all(this.#answers)
    await settleMicrotasks()
    this.compare()
    await this.world[Symbol.asyncDispose]()
  }
}

/** One stream says more than its account can pay: chance alone does not always come to that. */
const OUT_OF_CREDIT: [Payer, Step[]] = [
  { balanceTokens: 150, budgetTokens: null, isUnmetered: false },
  [{ do: 'ask', limit: undefined, choices: 1 }, ...Array<Step>(20).fill({ do: 'text', at: 0, bytes: READ_BYTES_MAX })],
]

test('however streams grow side by side, no balance and no budget is passed, and nothing is lost to the operator', async () => {
  let ranOut = 0
  await fc.assert(
    fc.asyncProperty(payer, fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (who, steps) => {
      const play = new Play(who)
      for (const one of steps) await play.take(one)
      await play.end()
      ranOut += [...play.world.store.tables.settlements.values()].filter(({ reason }) => reason === 'credit').length
    }),
    { numRuns: RUNS, examples: [OUT_OF_CREDIT] },
  )
  expect(ranOut).toBeGreaterThan(0)
})
