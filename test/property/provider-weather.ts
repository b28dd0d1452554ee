import type { BackendId } from '../../src/domain/index.ts'
import type { Health } from '../../src/health/index.ts'
import { probeBackends } from '../../src/jobs/index.ts'
import { assert } from '../../src/lib/index.ts'
import type { ExchangeDouble } from '../support/agent-double.ts'
import { ask } from '../support/ask.ts'
import { createHouseDouble, type HouseDouble, seededRandom } from '../support/house.ts'
import { json, type Part, status } from '../support/script.ts'
import { completion, done, finish, text, usage } from '../support/sse.ts'
import { breathe } from '../support/wire.ts'
import { callerMoods, type Mood } from './caller-moods.ts'

const NAMES = ['north', 'south', 'east', 'west'] as const
const SLOTS = 4
const TICK_MS = 5
const ARRIVALS_PER_TICK = 0.1 // 20 in a second
const SERVICE_MS_MAX = 250
const COOLDOWN_MS = 1000
const STREAMS = 0.3
const LEAVES = 0.02
const SSE_HEAD = { status: 200, headers: { 'content-type': 'text/event-stream' } }
const RETRY_AFTER_MS = 2000
const KINDS = ['fail', 'unsent', 'throttle', 'overload', 'cut', 'break'] as const

type State = ReturnType<Health['stateOf']>
type Phase = 'up' | (typeof KINDS)[number]

/** What became of a simulation. */
export interface Weather {
  readonly requests: number
  readonly servable: number
  /** Of those that were servable. */
  readonly answered: number
  readonly trials: number
  readonly probes: number
  /** How often a backend was taken out. */
  readonly outs: number
  /** Rules that were broken, in words. */
  readonly faults: readonly string[]
}

interface Asked {
  readonly id: number
  readonly isServable: boolean
  readonly isMalformed: boolean
  hasContent: boolean
  mayFail: boolean
}

/** Four backends that fail, throttle, fill up and recover on a schedule of the seed's, and so many requests, in virtual time. */
export async function simulateWeather(seed: number, requests: number): Promise<Weather> {
  const weather = new Simulation(seed, requests)
  await using _ = weather.world
  return await weather.run()
}

class Simulation {
  readonly world: HouseDouble = createHouseDouble({
    backends: Object.fromEntries(NAMES.map((name) => [name, { slots: SLOTS }])),
    balanceUsd: null,
    routing: { attemptsMax: NAMES.length, dialsMax: 8, queueMs: 2000 },
    limits: { waitersMax: 1000, requestsInFlightMax: 1000 },
    quarantine: { cooldownMs: COOLDOWN_MS, cooldownMaxMs: 8000, windowMs: 6000 },
  })
  readonly #requests: number
  readonly #random: () => number
  readonly #phases = new Map<BackendId, { phase: Phase; sinceMs: number; untilMs: number }>()
  readonly #ends: { readonly atMs: number; readonly end: () => void }[] = []
  readonly #asked = new Map<number, Asked>()
  readonly #trials = new Map<BackendId, ExchangeDouble>()
  readonly #wasOut = new Set<BackendId>()
  /** Which have done something wrong since they were last out. */
  readonly #hasFailed = new Set<BackendId>()
  /** Until when each asked to be left alone. */
  readonly #restsUntilMs = new Map<BackendId, number>()
  readonly #moodAt: (nowMs: number) => Mood
  readonly #faults: string[] = []
  #done = 0
  #servable = 0
  #answered = 0
  #trialCount = 0
  #probeCount = 0
  #outCount = 0

  constructor(seed: number, requests: number) {
    this.#requests = requests
    const random = seededRandom(seed)
    this.#random = () => random.fraction()
    this.#moodAt = callerMoods(this.#random)
    for (const name of NAMES) this.#watch(name)
  }

  async run(): Promise<Weather> {
    let asked = 0
    const stopProbing = probeBackends({ ...this.world.house, settings: () => ({ probe: true }) })
    while (this.#done < this.#requests) {
      this.world.clock.advance(TICK_MS)
      for (const name of NAMES) this.#blow(name)
      for (const { end } of this.#due()) end()
      await breathe()
      while (asked < this.#requests && this.#random() < ARRIVALS_PER_TICK) this.#ask(asked++)
      await breathe()
      for (const name of NAMES) this.#look(name)
    }
    stopProbing()
    for (const { end } of this.#ends.splice(0)) end()
    await breathe()
    return {
      requests: this.#requests,
      servable: this.#servable,
      answered: this.#answered,
      trials: this.#trialCount,
      probes: this.#probeCount,
      outs: this.#outCount,
      faults: this.#faults,
    }
  }

  get #nowMs(): number {
    return this.world.clock.wallMs()
  }

  #between(min: number, max: number): number {
    return min + this.#random() * (max - min)
  }

  #phaseOf(name: BackendId): Phase {
    return this.#phases.get(name)?.phase ?? 'up'
  }

  /** The next phase when one is over: well more often than not. */
  #blow(name: BackendId): void {
    const now = this.#phases.get(name)
    if (now !== undefined && this.#nowMs < now.untilMs) return
    const isWell = now !== undefined && now.phase !== 'up' ? true : this.#random() < 0.3
    const phase = isWell ? 'up' : (KINDS[Math.floor(this.#random() * KINDS.length)] ?? 'fail')
    const lastsMs = phase === 'up' ? this.#between(2000, 12_000) : this.#between(500, 6000)
    this.#phases.set(name, { phase, sinceMs: this.#nowMs, untilMs: this.#nowMs + lastsMs })
  }

  /** Ends that are due, oldest first. */
  #due() {
    const due = this.#ends.filter(({ atMs }) => atMs <= this.#nowMs).sort((one, other) => one.atMs - other.atMs)
    for (const one of due) this.#ends.splice(this.#ends.indexOf(one), 1)
    return due
  }

  #later(afterMs: number, end: () => void): void {
    this.#ends.push({ atMs: this.#nowMs + afterMs, end })
  }

  #ask(id: number): void {
    const mood = this.#moodAt(this.#nowMs)
    const stream = this.#random() < STREAMS
    const asked: Asked = {
      id,
      isServable: NAMES.some((name) => this.#couldServe(name)),
      isMalformed: mood === 'malformed',
      hasContent: false,
      mayFail: mood === 'malformed',
    }
    this.#asked.set(id, asked)
    const { answer, leave } = ask(this.world, { stream, user: String(id) })
    if (mood === 'leaving' || this.#random() < LEAVES) {
      asked.mayFail = true
      this.#later(this.#between(0, SERVICE_MS_MAX), leave)
    }
    answer
      .then(async (response) => response.status === 200 && (await response.text()) !== '')
      .catch(() => false)
      .then((isAnswered) => {
        this.#done++
        if (asked.mayFail || !asked.isServable) return
        this.#servable++
        if (isAnswered) this.#answered++
      })
  }

  /** It is well, has a slot, and its row, if any, is past its end. */
  #couldServe(name: BackendId): boolean {
    const { slots, slotsTaken } = this.world.agent(name).stats()
    return this.#phaseOf(name) === 'up' && slotsTaken < slots && this.world.house.health.stateOf(name) !== 'out'
  }

  /** Looks at every request that is sent, and decides what will come of it. */
  #watch(name: BackendId): void {
    const agent = this.world.agent(name)
    const { send } = agent
    Object.assign(agent, {
      send: (...args: Parameters<typeof send>) => {
        const state = this.world.house.health.stateOf(name)
        const exchange = send.apply(agent, args)
        const double = agent.exchanges.at(-1)
        assert(double !== undefined, 'a request that was sent')
        if (double.request.method === 'GET') this.#answerProbe(name, state, double)
        else {
          this.#judge(name, state, double)
          this.#answer(name, double)
        }
        return exchange
      },
    })
  }

  #judge(name: BackendId, state: State, exchange: ExchangeDouble): void {
    const asked = this.#asked.get(Number(exchange.sentJson.user))
    assert(asked !== undefined, 'a request that somebody asked')
    if (state === 'out') this.#faults.push(`${name} was sent request ${asked.id} while it was out`)
    if (this.#nowMs < (this.#restsUntilMs.get(name) ?? 0)) this.#faults.push(`${name} was not left alone when it asked`)
    if (asked.hasContent) this.#faults.push(`request ${asked.id} was sent to ${name} after its first content`)
    if (state !== 'half_open') return
    this.#trialCount++
    if (this.#trials.get(name)?.state === 'open') this.#faults.push(`${name} had two trials at once`)
    this.#trials.set(name, exchange)
  }

  /** What costs no tokens is not throttled. */
  #answerProbe(name: BackendId, state: State, exchange: ExchangeDouble): void {
    this.#probeCount++
    if (state === 'out') this.#faults.push(`${name} was probed while it was out`)
    if (this.#trials.get(name)?.state === 'open') this.#faults.push(`${name} was probed beside its trial`)
    const phase = this.#phaseOf(name)
    if (phase !== 'up') this.#hasFailed.add(name)
    this.#later(this.#between(5, 50), () => {
      if (exchange.state !== 'open') return
      if (phase === 'unsent') exchange.unsent()
      else if (phase === 'cut') exchange.fail('reset')
      else exchange.play(phase === 'fail' ? BAD.fail : status(401))
    })
  }

  /** By the phase in which it was sent. */
  #answer(name: BackendId, exchange: ExchangeDouble): void {
    const phase = this.#phaseOf(name)
    const asked = this.#asked.get(Number(exchange.sentJson.user))
    const streams = exchange.sentJson.stream === true
    const play = (...parts: readonly Part[]): void => {
      if (exchange.state === 'open') exchange.play(...parts)
    }
    const serviceMs = this.#between(20, SERVICE_MS_MAX)
    if (asked?.isMalformed === true && (phase === 'up' || phase === 'break')) {
      this.#later(serviceMs, () => play(status(400, { error: { message: 'no such field' } })))
      return
    }
    if (phase !== 'up') this.#hasFailed.add(name)
    if (phase === 'up' || phase === 'break') {
      if (!streams) this.#later(serviceMs, () => play(phase === 'up' ? completion('Hi', 1, 1) : status(500)))
      else {
        this.#later(serviceMs / 2, () => {
          if (asked !== undefined && exchange.state === 'open') {
            asked.hasContent = true
            asked.mayFail ||= phase === 'break'
          }
          play(SSE_HEAD, text('Hi'))
        })
        this.#later(serviceMs, () =>
          phase === 'up' ? play(finish(), usage(1, 1), done(), { end: true }) : play({ reset: true }),
        )
      }
    } else if (phase === 'unsent') this.#later(1, () => exchange.state === 'open' && exchange.unsent())
    else if (phase === 'cut') {
      exchange.written()
      this.#later(serviceMs, () => play({ reset: true }))
    } else
      this.#later(serviceMs, () => {
        if (exchange.state !== 'open') return
        play(BAD[phase])
        if (phase === 'throttle') this.#restsUntilMs.set(name, this.#nowMs + RETRY_AFTER_MS)
      })
  }

  /** A backend that is well again is not kept out longer than its back-off. */
  #look(name: BackendId): void {
    const isOut = this.world.house.health.stateOf(name) === 'out'
    if (isOut && !this.#wasOut.has(name)) {
      this.#outCount++
      if (!this.#hasFailed.delete(name)) this.#faults.push(`${name} was taken out and has done nothing wrong`)
    }
    if (isOut) this.#wasOut.add(name)
    else this.#wasOut.delete(name)
    const now = this.#phases.get(name)
    if (!isOut || now?.phase !== 'up') return
    const [row] = this.world.house.health.rows().filter(({ backend }) => backend === name)
    const backoffMs = Math.max(
      row?.failures?.backoffMs ?? 0,
      row?.throttle?.backoffMs ?? 0,
      ...(row?.credentials ?? []).map((cause) => cause.backoffMs),
    )
    const wellMs = this.#nowMs - now.sinceMs
    if (wellMs > backoffMs + SERVICE_MS_MAX + TICK_MS)
      this.#faults.push(`${name} is out ${wellMs} ms after its recovery, with a back-off of ${backoffMs} ms`)
  }
}

const BAD = {
  fail: status(503),
  throttle: status(429, { error: { message: 'slow down' } }, { 'retry-after': String(RETRY_AFTER_MS / 1000) }),
  overload: json(529, { error: { message: 'busy' } }),
} as const
