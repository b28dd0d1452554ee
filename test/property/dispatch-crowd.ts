import { expect } from 'bun:test'
import fc from 'fast-check'
import { assert } from '../../src/lib/index.ts'
import type { Call } from '../../src/pipeline/call.ts'
import { dispatch } from '../../src/pipeline/dispatch/dispatch.ts'
import type { DispatchEnd } from '../../src/pipeline/handover.ts'
import type { AgentDouble, ExchangeDouble } from '../support/agent-double.ts'
import { settleMicrotasks } from '../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, MODEL } from '../support/house.ts'
import { status } from '../support/script.ts'
import { completion, text } from '../support/sse.ts'
import { SSE_HEAD } from '../unit/pipeline/dispatch/attempt-kit.ts'
import { callAt, candidatesOf, preparedOf } from '../unit/pipeline/support.ts'

const SLOTS = { north: 1, south: 2, east: 1 } as const
type Name = keyof typeof SLOTS
const NAMES = Object.keys(SLOTS) as Name[]
const WAITERS_MAX = 4
const ATTEMPTS_MAX = 2
const QUEUE_MS = 1000

type Ending = 'serve' | 'stream' | 'fail' | 'throttle' | 'refuse' | 'unsent' | 'reset'

export type CrowdStep =
  | { readonly kind: 'ask'; readonly candidates: readonly Name[]; readonly stream: boolean }
  | { readonly kind: 'end'; readonly which: number; readonly how: Ending }
  | { readonly kind: 'leave'; readonly which: number }
  | { readonly kind: 'time'; readonly ms: number }

const which = fc.nat({ max: 20 })
const ending = fc.constantFrom<Ending>('serve', 'stream', 'fail', 'throttle', 'refuse', 'unsent', 'reset')
const step: fc.Arbitrary<CrowdStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      candidates: fc.shuffledSubarray(NAMES, { minLength: 1 }),
      stream: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end' as const), which, how: ending }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 400, QUEUE_MS) }) },
)

/** What may happen in one run. */
export const crowdSteps = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' })

interface Asked {
  readonly id: number
  readonly call: Call
  readonly leave: () => void
  /** Not tried yet. */
  left: readonly Name[]
  end: DispatchEnd | null
  sends: number
}

/** Plays these steps. Throws where a rule is broken. `spoil` breaks each backend's agent on purpose. */
export async function playCrowd(steps: readonly CrowdStep[], spoil: Spoil = () => {}): Promise<void> {
  const crowd = new Crowd(spoil)
  await using _ = crowd.world
  for (const one of steps) await crowd.do(one)
  await crowd.rest()
}

export type Spoil = (agent: AgentDouble) => void

/** Requests over three small backends, and what the rules say of each slot that is given. */
class Crowd {
  readonly world: HouseDouble = createHouseDouble({
    backends: Object.fromEntries(NAMES.map((name) => [name, { slots: SLOTS[name] }])),
    routing: { attemptsMax: ATTEMPTS_MAX, queueMs: QUEUE_MS },
    limits: { waitersMax: WAITERS_MAX },
    isBlind: true, // who is out is a matter of its own
  })
  readonly #asked: Asked[] = []
  /** Told at the end of a step: what throws in the middle of one is a bug of the gateway. */
  readonly #faults: string[] = []
  /** Who waits, by how long. */
  #line: Asked[] = []
  #open: { readonly exchange: ExchangeDouble; readonly by: Asked }[] = []

  constructor(spoil: Spoil) {
    for (const name of NAMES) {
      const agent = this.world.agent(name)
      spoil(agent)
      const { send } = agent
      Object.assign(agent, {
        send: (...args: Parameters<typeof send>) => {
          const exchange = send.apply(agent, args)
          this.#sent(name, agent.exchanges.at(-1))
          return exchange
        },
      })
    }
  }

  async do(step: CrowdStep): Promise<void> {
    if (step.kind === 'ask') this.#ask(step.candidates, step.stream)
    else if (step.kind === 'time') this.world.clock.advance(step.ms)
    else if (step.kind === 'leave') this.#asked[step.which % Math.max(1, this.#asked.length)]?.leave()
    else this.#end(step.which, step.how)
    await settleMicrotasks()
    this.#check()
  }

  async rest(): Promise<void> {
    for (const { leave } of this.#asked) leave()
    await settleMicrotasks()
    for (const { end } of this.#asked) this.#giveBack(end)
  }

  #ask(candidates: readonly Name[], stream: boolean): void {
    const { call, leave } = callAt(this.world)
    const asked: Asked = { id: this.#asked.length, call, leave, left: candidates, end: null, sends: 0 }
    this.#asked.push(asked)
    const offers = candidatesOf(this.world)
    const plan = {
      candidates: candidates.flatMap((name) => offers.find(({ offer }) => offer.backend.id === name) ?? []),
      prepared: preparedOf({ stream, user: String(asked.id) }),
      model: MODEL,
      attemptsMax: ATTEMPTS_MAX,
    }
    dispatch(this.world.house, call, plan).then((end) => {
      asked.end = end
      if (end.kind === 'streaming') {
        end.live.exchange.abort() // what a relay does at its end
        this.#giveBack(end)
      }
    })
    if (asked.sends === 0) this.#line.push(asked) // for now: `check` takes out who was refused
  }

  #end(which: number, how: Ending): void {
    const [one] = this.#open.splice(which % Math.max(1, this.#open.length), 1)
    if (one === undefined || one.exchange.state !== 'open') return
    const { exchange, by } = one
    if (how === 'unsent') exchange.unsent()
    else if (how === 'reset') exchange.fail('reset')
    else if (how === 'stream') exchange.play(SSE_HEAD, text('a'), { end: true })
    else exchange.play(how === 'serve' ? completion('Hi', 1, 1) : status(CODES[how]))
    if (by.end === null && by.left.length > 0) this.#line.push(by)
  }

  /** A slot was given: to nobody out of turn. */
  #sent(name: Name, exchange: ExchangeDouble | undefined): void {
    const by = this.#asked[Number(exchange?.sentJson.user)]
    assert(exchange !== undefined && by !== undefined, 'a request that nobody asked')
    const place = this.#line.indexOf(by)
    const before = place < 0 ? this.#line : this.#line.slice(0, place)
    const overtaken = before.filter((other) => other.end === null && other.left.includes(name) && !isGone(other))
    for (const { id } of overtaken) this.#faults.push(`${by.id} overtook ${id} at ${name}`)
    if (this.world.agent(name).stats().slotsTaken > SLOTS[name]) this.#faults.push(`too many slots of ${name}`)
    this.#line = this.#line.filter((other) => other !== by)
    by.left = by.left.filter((other) => other !== name)
    by.sends++
    this.#open.push({ exchange, by })
  }

  /** With plain comparisons: an `expect` each would be most of the work. */
  #check(): void {
    this.#line = this.#line.filter((asked) => asked.end === null)
    this.#open = this.#open.filter(({ exchange }) => exchange.state === 'open')
    const { waiters } = this.world.traffic
    const must = (holds: boolean, words: string): void => {
      if (!holds) this.#faults.push(words)
    }
    must(waiters === this.#line.length, `${waiters} waiters are counted, ${this.#line.length} wait`)
    must(waiters <= WAITERS_MAX, `${waiters} wait`)
    for (const name of NAMES) {
      const inLine = this.#line.filter(({ left }) => left.includes(name)).length
      const stats = this.world.agent(name).stats()
      must(stats.waiters === inLine, `${stats.waiters} are in the line of ${name}, ${inLine} wait for it`)
      must(inLine === 0 || stats.slotsTaken === SLOTS[name], `somebody waits beside a free slot of ${name}`)
    }
    for (const asked of this.#asked) {
      const { id, call, end, sends } = asked
      const { attempts, skips } = call
      const sent = attempts.filter(({ outcome }) => outcome !== 'unsent').length
      must(end === null ? attempts.length <= sends : attempts.length === sends, `${id} has attempts that were not sent`)
      must(sent <= ATTEMPTS_MAX, `${id} was sent ${sent} times`)
      must(new Set(skips.map(({ backend }) => backend)).size === skips.length, `${id} has a skip twice`)
      must(
        skips.every(({ rule }) => rule === 'full'),
        `${id} has a skip of another kind`,
      )
      must(end?.kind !== 'unserved' || isGone(asked) || mayGiveUp(asked, sent), `${id} gave up with somebody left`)
    }
    expect(this.#faults).toEqual([])
  }

  #giveBack(end: DispatchEnd | null): void {
    if (end?.kind !== 'streaming' || this.#given.has(end)) return
    this.#given.add(end)
    end.slot.agent.release(end.slot)
  }

  readonly #given = new Set<DispatchEnd>()
}

const CODES = { fail: 500, throttle: 429, refuse: 400 } as const

/** Nothing more may be sent of it, the caller is at fault, or all that are left are full. */
function mayGiveUp({ call: { attempts, skips }, left }: Asked, sent: number): boolean {
  if (sent === ATTEMPTS_MAX || attempts.at(-1)?.outcome === 'refused') return true
  return left.every((name) => skips.some(({ backend }) => backend === name))
}

const isGone = ({ call }: Asked): boolean => call.leave.reason !== null
