import type {
  Agent,
  AgentStats,
  Exchange,
  ExchangeObserver,
  OutgoingRequest,
  Slot,
  Waiter,
} from '../../src/agents/index.ts'
import { SlotLine, type TakenSlot } from '../../src/agents/slot-line.ts'
import type { Backend, ExchangeTiming, UnsentReason } from '../../src/domain/index.ts'
import { assert } from '../../src/lib/index.ts'
import { type Part, script } from './script.ts'

/** An agent without sockets: its slots are real, its backend is the test's hand. It checks its caller as the real one does. */
export interface AgentDouble extends Agent {
  /** Every request that was sent here, in order. */
  readonly exchanges: readonly ExchangeDouble[]
  /** How often it was told to keep its connections open. */
  readonly planned: number
  /** The next exchange that `next` has not answered yet; waits until it is begun. */
  next(): Promise<ExchangeDouble>
  /** Resolves when somebody waits here for a slot. */
  joined(): Promise<void>
  /** From now on every request is answered with these steps by itself, in the tick after its sending. */
  plays(...parts: readonly Part[]): void
  /** The next `send` throws. */
  breakNextSend(bug: Error): void
}

/** One request at the backend. What the test does here, the gateway hears at once. */
export interface ExchangeDouble extends Exchange {
  readonly request: OutgoingRequest
  /** The body that was sent, read as JSON. */
  readonly sentJson: Record<string, unknown>
  readonly state: 'open' | 'ended' | 'aborted'
  readonly isPaused: boolean
  /** Resolves when reading from the provider is paused, resumed, or given up. */
  paused(): Promise<void>
  resumed(): Promise<void>
  aborted(): Promise<void>
  /** All bytes of the request are with the provider. A head or a part of a body says so too. */
  written(): void
  /** Steps of a scripted provider: head, body, end, reset. Those that depend on time are refused. */
  play(...parts: readonly Part[]): void
  unsent(reason?: UnsentReason): void
  fail(reason: 'reset' | 'framing' | 'idle_timeout'): void
  /** Hands over what no reader can read: what that throws stands for any bug in the reading of an answer. */
  breakReader(): void
}

/** Makes the double of a backend's agent. */
export function createAgentDouble(backend: Backend): AgentDouble {
  return new DoubledAgent(backend)
}

class DoubledAgent implements AgentDouble {
  readonly backend: string
  readonly exchanges: DoubledExchange[] = []
  planned = 0
  readonly #line: SlotLine
  readonly #bySlot = new Map<Slot, DoubledExchange>()
  readonly #hopeful: ((exchange: ExchangeDouble) => void)[] = []
  readonly #watchers: (() => void)[] = []
  #answered = 0
  #parts: readonly Part[] | null = null
  #bug: Error | null = null

  constructor(backend: Backend) {
    this.backend = backend.id
    this.#line = new SlotLine(this, backend.slots)
  }

  keepWarm = (): void => {
    this.planned++
  }

  take = (): TakenSlot | null => this.#line.take()
  leave = (waiter: Waiter): void => this.#line.leave(waiter)

  join(waiter: Waiter): void {
    this.#line.join(waiter)
    if (this.#line.waiters === 0) return
    for (const resolve of this.#watchers.splice(0)) resolve()
  }

  joined(): Promise<void> {
    if (this.#line.waiters > 0) return Promise.resolve()
    return new Promise((resolve) => this.#watchers.push(resolve))
  }

  release(slot: Slot): void {
    const exchange = this.#bySlot.get(slot)
    assert(exchange === undefined || exchange.state !== 'open', 'a slot was released before its exchange was over')
    this.#line.release(slot as TakenSlot) // all slots of this agent are of its line
  }

  send(slot: Slot, request: OutgoingRequest, observer: ExchangeObserver): Exchange {
    const bug = this.#bug
    this.#bug = null
    if (bug !== null) throw bug
    assert(this.#bySlot.get(slot)?.state !== 'open', 'two requests were sent on one slot')
    const exchange = new DoubledExchange(request, observer)
    this.#bySlot.set(slot, exchange)
    this.exchanges.push(exchange)
    const parts = this.#parts
    if (parts !== null) queueMicrotask(() => exchange.play(...parts))
    const hope = this.#hopeful.shift()
    if (hope !== undefined) {
      this.#answered++
      hope(exchange)
    }
    return exchange
  }

  next(): Promise<ExchangeDouble> {
    const exchange = this.exchanges[this.#answered]
    if (exchange === undefined) return new Promise((resolve) => this.#hopeful.push(resolve))
    this.#answered++
    return Promise.resolve(exchange)
  }

  plays(...parts: readonly Part[]): void {
    this.#parts = parts
  }

  breakNextSend(bug: Error): void {
    this.#bug = bug
  }

  stats(): AgentStats {
    const nothing = {
      connectionsDialling: 0,
      connectionsOpen: 0,
      connectionsIdle: 0,
      connectionsOpened: 0,
      requestsOnKept: 0,
      resends: 0,
    }
    const { size: slots, taken: slotsTaken, waiters } = this.#line
    return { slots, slotsTaken, waiters, requestsSent: this.exchanges.length, ...nothing, path: PATH }
  }

  close(): void {
    this.#line.leaveAll()
  }
}

const PATH: AgentStats['path'] = {
  isKeptWarm: false,
  pings: 0,
  pingsFailed: 0,
  pingState: 'on',
  lastPing: null,
  learnedIdleMs: null,
  connect: null,
  firstByte: null,
}

type Event = 'paused' | 'resumed' | 'aborted'

class DoubledExchange implements ExchangeDouble {
  readonly request: OutgoingRequest
  state: ExchangeDouble['state'] = 'open'
  isPaused = false
  sentCompletely = false
  readonly #observer: ExchangeObserver
  readonly #waiting: { readonly event: Event; readonly resolve: () => void }[] = []
  #use: ExchangeTiming['connection'] = 'new'

  constructor(request: OutgoingRequest, observer: ExchangeObserver) {
    this.request = request
    this.#observer = observer
  }

  get sentJson(): Record<string, unknown> {
    return JSON.parse(Buffer.from(this.request.body ?? []).toString())
  }

  pause(): void {
    this.isPaused = true
    this.#tell('paused')
  }

  resume(): void {
    this.isPaused = false
    this.#tell('resumed')
  }

  abort(): void {
    if (this.state !== 'open') return
    this.state = 'aborted'
    this.#tell('aborted')
  }

  timing(): ExchangeTiming {
    const times = { dnsUs: null, connectUs: null, tlsUs: null, writeUs: null, firstByteUs: null }
    return { ...times, connection: this.#use, connectionAgeMs: null }
  }

  paused = (): Promise<void> => this.#until('paused', this.isPaused)
  resumed = (): Promise<void> => this.#until('resumed', !this.isPaused)
  aborted = (): Promise<void> => this.#until('aborted', this.state === 'aborted')

  written(): void {
    this.sentCompletely = true
  }

  play(...parts: readonly Part[]): void {
    for (const step of script(...parts).steps) {
      if (step.refuse) this.unsent()
      else if (step.reset || step.close) this.fail('reset')
      else {
        const { status, headers = {}, send, send_b64: base64, end } = step
        const sends = send !== undefined || base64 !== undefined
        assert(status !== undefined || sends || end, `no step of this double: ${JSON.stringify(step)}`)
        if (status !== undefined) this.#report((to) => to.head({ status, headers: Object.entries(headers) }))
        if (send !== undefined) this.#report((to) => to.body(Buffer.from(send)))
        if (base64 !== undefined) this.#report((to) => to.body(Buffer.from(base64, 'base64')))
        if (end) this.#end((to) => to.end())
      }
    }
  }

  unsent(reason: UnsentReason = 'connect'): void {
    this.#use = 'unsent'
    this.#end((to) => to.failure({ kind: 'unsent', reason, message: 'nothing listens' }))
  }

  fail(reason: 'reset' | 'framing' | 'idle_timeout'): void {
    const { sentCompletely: sent } = this
    this.#end((to) => to.failure({ kind: 'failed', reason, message: `told to fail: ${reason}`, sent }))
  }

  breakReader(): void {
    this.#report((to) => to.body(undefined as unknown as Uint8Array))
  }

  /** After `abort` nothing is reported any more. */
  #report(report: (to: ExchangeObserver) => void): void {
    if (this.state !== 'open') return
    this.sentCompletely = true
    report(this.#observer)
  }

  #end(report: (to: ExchangeObserver) => void): void {
    if (this.state !== 'open') return
    this.state = 'ended' // before it is told, as at the real agent
    report(this.#observer)
  }

  #tell(event: Event): void {
    for (const { event: awaited, resolve } of this.#waiting) if (awaited === event) resolve()
  }

  #until(event: Event, isSo: boolean): Promise<void> {
    return isSo ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ event, resolve }))
  }
}
