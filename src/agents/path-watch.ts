import type { AgentSettings, UnsentReason } from '../domain/index.ts'
import type { CancelTimer, Clock } from '../lib/index.ts'
import { type Connection, type ConnectionUser, NOBODY } from './connection.ts'
import { ConnectionPing, type PingEnd } from './connection-ping.ts'
import type { LastPing, PingState } from './contract.ts'
import type { KeptConnections } from './kept-connections.ts'

/** What the watch needs of its agent. */
export interface WatchHost {
  readonly clock: Clock
  readonly kept: KeptConnections
  /** Null: this backend is never pinged. */
  pingRequest(): PingRequest | null
  /** No slot is free. */
  isFull(): boolean
  /** Connections that dial or are open, abandoned dials left out. */
  live(): readonly Connection[]
  slots(): number
  /** Null where there is no room for one more. */
  dial(user: ConnectionUser): Connection | null
  /** A connection that was dialled for nobody is open. */
  opened(connection: Connection): void
  /** A connection that is open and sound. */
  giveBack(connection: Connection, keepAliveMs: number | null): void
}

export interface PingRequest {
  /** As it goes on the wire. */
  readonly head: string
  readonly everyMs: number
}

const TICK_MS = 500
const PING_LIMIT_MS = 1000
/** A connection is pinged well before its life ends. */
const LIFE_SHARE = 0.6
/** A backend that closes sooner is not kept warm: it would cost a request a second. */
const LIFE_MS_MIN = 2000
/** A connection that ends so soon is replaced before it does. */
const AHEAD_US = 2_000_000
const COSTS_MAX = 2
const OFF_US = 600_000_000
const UNUSED_WAIT_US = 10_000_000
const REDIAL_MS_MIN = 1000
const REDIAL_MS_MAX = 60_000
/** After a silent ping all other idle connections are in doubt: so many are asked at once, the rest is closed. */
const DOUBTED_MAX = 8

/**
 * Keeps the way to one backend open for a time after it was last wanted: replaces connections that end, and asks those that rest, so that
 * a dead path is found by us and not by a request. Without idle connections and out of that time it does nothing.
 */
export class PathWatch {
  /** Pings sent, and those that were not answered. */
  pings = 0
  pingsFailed = 0
  lastPing: LastPing | null = null
  readonly #host: WatchHost
  readonly #pinging = new Set<ConnectionPing>()
  readonly #keeper: ConnectionUser
  /** Connections that were dialled for nobody. */
  readonly #dialling = new Set<Connection>()
  #wantedUs = Number.NEGATIVE_INFINITY
  #isWanted = false
  #pingedUs = Number.NEGATIVE_INFINITY
  #dialAfterUs = Number.NEGATIVE_INFINITY
  #dialFailures = 0
  /** Pings in a row that cost their connection. */
  #costs = 0
  #offUntilUs = Number.NEGATIVE_INFINITY
  #cancelTick: CancelTimer | null = null
  #isStopped = false

  constructor(host: WatchHost) {
    this.#host = host
    const adopted = (connection: Connection): void => {
      this.#dialling.delete(connection)
    }
    this.#keeper = {
      ...NOBODY,
      opened: (connection) => {
        adopted(connection)
        this.#dialFailures = 0
        host.opened(connection)
      },
      unsent: (connection, reason) => {
        adopted(connection)
        this.#dialFailed(reason)
      },
    }
  }

  /** A request was sent here just now, or would have been next. As cheap as it gets: the next look notes when. */
  wanted(): void {
    this.#isWanted = true
    if (this.#cancelTick === null) this.#begin()
  }

  #begin(): void {
    const nowUs = this.#noteWanted()
    if (this.#isStopped || !this.#isWarm(nowUs)) return
    this.start()
    this.#topUp(nowUs)
  }

  #noteWanted(): number {
    const nowUs = this.#host.clock.monotonicUs()
    if (this.#isWanted) this.#wantedUs = nowUs
    this.#isWanted = false
    return nowUs
  }

  /** Begins to look every half second. */
  start(): void {
    if (this.#isStopped) return
    this.#cancelTick ??= this.#host.clock.every(TICK_MS, () => this.#tick())
  }

  /** Ends pings and dials at once; nothing is done until `resume`, and then until it is wanted anew. */
  stop(): void {
    this.#isStopped = true
    this.#isWanted = false
    this.#wantedUs = Number.NEGATIVE_INFINITY
    this.#cancelTick?.()
    this.#cancelTick = null
    for (const ping of this.#pinging) ping.stop()
    for (const connection of this.#dialling) connection.destroy()
    this.#pinging.clear()
    this.#dialling.clear()
  }

  resume(): void {
    this.#isStopped = false
  }

  /** Takes a connection whose dial nobody waits for any more; it is kept once it is open. */
  adopt(connection: Connection): void {
    connection.user = this.#keeper
    this.#dialling.add(connection)
  }

  /** The backend closed a connection that had never served: opening another at once would be no better. */
  closedUnused(): void {
    this.#dialAfterUs = this.#host.clock.monotonicUs() + UNUSED_WAIT_US
  }

  /** Pings may be tried again. */
  forgetCosts(): void {
    this.#costs = 0
    this.#offUntilUs = Number.NEGATIVE_INFINITY
  }

  get isKeptWarm(): boolean {
    const { clock } = this.#host
    return this.#cancelTick !== null && this.#isWarm(clock.monotonicUs())
  }

  get pingState(): PingState {
    if (this.#host.pingRequest() === null) return 'off'
    return this.#host.clock.monotonicUs() < this.#offUntilUs ? 'costly' : 'on'
  }

  #tick(): void {
    this.#host.kept.sweep()
    const nowUs = this.#noteWanted()
    if (this.#isWarm(nowUs)) {
      this.#pingDue(nowUs)
      this.#topUp(nowUs)
    } else if (this.#host.live().length === 0) {
      this.#cancelTick?.()
      this.#cancelTick = null
    }
  }

  #isWarm(nowUs: number): boolean {
    const { keepWarmMs } = this.#settings
    return nowUs - this.#wantedUs < keepWarmMs * 1000
  }

  get #settings(): AgentSettings {
    return this.#host.kept.settings
  }

  /** Opens what is missing, and what soon will be. */
  #topUp(nowUs: number): void {
    const { warm, idleMax, ageMaxMs } = this.#settings
    const slots = this.#host.slots()
    const wanted = Math.min(warm, idleMax, slots)
    if (wanted === 0 || nowUs < this.#dialAfterUs || this.#host.kept.lifeMs < LIFE_MS_MIN) return
    const live = this.#host.live()
    const isPinged = this.pingState === 'on'
    let lasting = 0
    for (const connection of live) {
      const untilUs = isPinged ? connection.openedUs + ageMaxMs * 1000 : connection.idleUntilUs
      if (!this.#host.kept.has(connection) || untilUs > nowUs + AHEAD_US) lasting++
    }
    const missing = Math.min(wanted - lasting, slots - live.length)
    for (let n = 0; n < missing; n++) {
      const connection = this.#host.dial(this.#keeper)
      if (connection === null) return
      this.#dialling.add(connection)
      this.#dialAfterUs = nowUs + REDIAL_MS_MIN * 1000
    }
  }

  #dialFailed(reason: UnsentReason): void {
    if (reason !== 'no_room') this.#dialFailures++
    const waitMs = Math.min(REDIAL_MS_MAX, REDIAL_MS_MIN * 2 ** Math.min(this.#dialFailures, 10))
    this.#dialAfterUs = this.#host.clock.monotonicUs() + waitMs * 1000
  }

  /** The longest-idle connection, once it has rested long enough; so often that every one of those kept warm has its turn. */
  #pingDue(nowUs: number): void {
    const request = this.#host.pingRequest()
    if (request === null || this.#pinging.size > 0 || nowUs < this.#offUntilUs) return
    if (this.#host.isFull() || this.#host.kept.lifeMs < LIFE_MS_MIN) return
    const periodUs = this.#periodUs(request)
    if (nowUs - this.#pingedUs < periodUs / Math.max(1, this.#settings.warm)) return
    this.#pingRested(request, nowUs - periodUs, true)
  }

  #periodUs({ everyMs }: PingRequest): number {
    return Math.min(everyMs, LIFE_SHARE * this.#host.kept.lifeMs) * 1000
  }

  /** The connection that has rested the longest, if it has rested since then. */
  #pingRested(request: PingRequest, sinceUs: number, mayCost: boolean): void {
    const { kept, clock } = this.#host
    if (kept.longestIdle === null || kept.longestIdle.idleSinceUs > sinceUs) return
    const connection = kept.takeLongestIdle()
    this.#pingedUs = clock.monotonicUs()
    if (connection !== null) this.#ping(connection, request, mayCost)
  }

  /** `mayCost`: an end without an answer may be the ping's own doing. */
  #ping(connection: Connection, { head }: PingRequest, mayCost: boolean): void {
    const { clock } = this.#host
    this.pings++
    const onEnd = (end: PingEnd, ping: ConnectionPing): void => this.#pinged(end, ping, mayCost)
    this.#pinging.add(new ConnectionPing(connection, { clock, head, limitMs: PING_LIMIT_MS, onEnd }))
  }

  #pinged(end: PingEnd, ping: ConnectionPing, mayCost: boolean): void {
    const { clock } = this.#host
    const nowUs = clock.monotonicUs()
    this.#pinging.delete(ping)
    const status = end.kind === 'answered' ? end.status : null
    this.lastPing = { atMs: clock.wallMs(), result: end.kind, status, tookUs: nowUs - ping.startedUs }
    if (end.kind !== 'answered') this.pingsFailed++
    if (end.kind === 'answered' && end.mayKeep) {
      this.#costs = 0
      this.#host.giveBack(ping.connection, end.keepAliveMs)
    } else if (end.kind === 'silent') this.#doubtOlder(ping.startedUs)
    else {
      if (mayCost || end.kind === 'answered') this.#cost(nowUs)
      if (end.kind === 'closed') this.#pingNext(nowUs)
    }
    this.#topUp(nowUs)
  }

  /** What ended one connection may have ended others. */
  #pingNext(nowUs: number): void {
    const request = this.#host.pingRequest()
    if (request !== null && !this.#host.isFull()) this.#pingRested(request, nowUs - this.#periodUs(request), false)
  }

  /** A backend that closes what it is pinged on is better left alone for a while. */
  #cost(nowUs: number): void {
    if (++this.#costs < COSTS_MAX) return
    this.#costs = COSTS_MAX - 1 // after that time one is enough
    this.#offUntilUs = nowUs + OFF_US
  }

  /** The path may be dead: no request gets a connection that has not answered since that moment. */
  #doubtOlder(momentUs: number): void {
    const request = this.#host.pingRequest()
    for (const [at, connection] of this.#host.kept.takeOlder(momentUs).entries()) {
      if (at < DOUBTED_MAX && request !== null) this.#ping(connection, request, false)
      else connection.destroy()
    }
  }
}
