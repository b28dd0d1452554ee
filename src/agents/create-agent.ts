import type { AgentSettings, Backend, ConnectionUse } from '../domain/index.ts'
import { assert, type Clock, PassingSet } from '../lib/index.ts'
import { ActiveExchange } from './active-exchange.ts'
import { type Address, addressOf } from './address.ts'
import { Connection, type ConnectionUser } from './connection.ts'
import { ConnectionRoom, type RoomMember } from './connection-room.ts'
import type { Agent, AgentStats, Exchange, ExchangeObserver, OutgoingRequest, Slot, Waiter } from './contract.ts'
import type { Awaiting, DialRefusal, ExchangeHost } from './exchange-host.ts'
import { KeptConnections } from './kept-connections.ts'
import { systemLookup } from './lookup.ts'
import { Outbox } from './outbox.ts'
import { PathWatch, type PingRequest } from './path-watch.ts'
import { pingHead } from './ping-head.ts'
import { RecentTimes } from './recent-times.ts'
import { writeRequestHead } from './request-head.ts'
import { createResolver, type Resolver } from './resolver.ts'
import { SlotLine, TakenSlot } from './slot-line.ts'

export interface AgentOptions {
  readonly backend: Backend
  readonly settings: AgentSettings
  readonly clock: Clock
  /** Shared by all agents; one of its own when absent. */
  readonly room?: ConnectionRoom
  /** Shared by all agents; one of its own when absent. */
  readonly resolver?: Resolver
  /** The headers that show a backend a credential of ours; none when absent. */
  readonly credentialHeaders?: CredentialHeaders
}

export type CredentialHeaders = (backend: Backend) => OutgoingRequest['headers']

/** Makes the agent of a backend. It opens nothing before the first request. Throws when the base URL is no HTTP address. */
export function createAgent(options: AgentOptions): KeepAliveAgent {
  return new KeepAliveAgent(options)
}

/** Slots, connections and exchanges of one backend. */
export class KeepAliveAgent implements Agent, RoomMember {
  readonly backend: string
  readonly #options: AgentOptions
  readonly #address: Address
  readonly #clock: Clock
  readonly #line: SlotLine
  readonly #room: ConnectionRoom
  readonly #resolver: Resolver
  readonly #kept: KeptConnections
  readonly #watch: PathWatch
  readonly #outbox = new Outbox()
  readonly #host: ExchangeHost
  /** All that dial or are open, and dials that were given up and cannot be told. */
  readonly #connections = new PassingSet<Connection>()
  /** Requests whose connection still dials, in their order. */
  readonly #awaiting = new PassingSet<Awaiting>()
  readonly #connectTimes = new RecentTimes()
  readonly #firstByteTimes = new RecentTimes()
  #state: 'open' | 'retired' | 'closed' = 'open'
  /** As the newest catalogue has it: its place is always the same. */
  #terms: Backend
  #pingRequest: PingRequest | null
  #opened = 0
  /** Requests by the connection they left on. */
  readonly #counts: Record<ConnectionUse, number> = { new: 0, kept: 0, resent: 0, unsent: 0 }

  constructor(options: AgentOptions) {
    const { backend, settings, clock } = options
    this.#options = options
    this.backend = backend.id
    this.#terms = backend
    this.#address = addressOf(backend)
    this.#clock = clock
    this.#line = new SlotLine(this, backend.slots)
    this.#room = options.room ?? new ConnectionRoom(settings.connectionsMax)
    this.#room.join(this)
    this.#resolver = options.resolver ?? createResolver({ lookup: systemLookup, clock })
    this.#kept = new KeptConnections(settings, clock, () => this.#watch.closedUnused())
    this.#pingRequest = this.#pingRequestOf(backend, settings)
    this.#watch = this.#openWatch()
    this.#host = this.#exchangeHost()
  }

  take(): Slot | null {
    return this.#state === 'closed' ? null : this.#line.take()
  }

  join(waiter: Waiter): void {
    if (this.#state !== 'closed') this.#line.join(waiter)
  }

  leave(waiter: Waiter): void {
    this.#line.leave(waiter)
  }

  release(slot: Slot): void {
    assert(slot instanceof TakenSlot && slot.agent === this, 'a slot was released at another agent')
    assert(slot.exchange?.isOver !== false, 'a slot was released before its exchange was over')
    this.#line.release(slot)
  }

  send(slot: Slot, request: OutgoingRequest, observer: ExchangeObserver): Exchange {
    assert(slot instanceof TakenSlot && slot.agent === this && !slot.isReleased, 'a request was sent without a slot')
    assert(slot.exchange?.isOver !== false, 'two requests were sent on one slot')
    const head = writeRequestHead(this.#address.hostHeader, request)
    const exchange = new ActiveExchange(this.#host, request, head, observer)
    slot.exchange = exchange
    exchange.start()
    this.#watch.wanted()
    return exchange
  }

  keepWarm(): void {
    if (this.#state === 'open') this.#watch.wanted()
  }

  stats(): AgentStats {
    const live = this.#live()
    const connectionsOpen = live.filter(({ isOpen }) => isOpen).length
    const watch = this.#watch
    return {
      slots: this.#line.size,
      slotsTaken: this.#line.taken,
      waiters: this.#line.waiters,
      connectionsDialling: live.length - connectionsOpen,
      connectionsOpen,
      connectionsIdle: this.#kept.size,
      connectionsOpened: this.#opened,
      requestsSent: this.#counts.new + this.#counts.kept,
      requestsOnKept: this.#counts.kept,
      resends: this.#counts.resent,
      path: {
        isKeptWarm: watch.isKeptWarm,
        pings: watch.pings,
        pingsFailed: watch.pingsFailed,
        pingState: watch.pingState,
        lastPing: watch.lastPing,
        learnedIdleMs: this.#kept.learnedMs,
        connect: this.#connectTimes.quantiles(),
        firstByte: this.#firstByteTimes.quantiles(),
      },
    }
  }

  close(): void {
    this.retire()
    this.#state = 'closed'
    this.#line.leaveAll()
  }

  /** Takes over what may change while it runs: the backend is at the same place. */
  adjust(settings: AgentSettings, backend: Backend): void {
    this.#kept.settings = settings
    this.#terms = backend
    this.#pingRequest = this.#pingRequestOf(backend, settings)
    this.#watch.forgetCosts()
    if (backend.slots !== this.#line.size) this.#line.resize(backend.slots)
  }

  /** For the agent of a backend that has changed: keeps no connection any more, but serves who waits and who still asks. */
  retire(): void {
    if (this.#state === 'open') this.#state = 'retired'
    this.#watch.stop()
    this.#kept.closeAll()
    this.#room.part(this)
  }

  /** The backend is what it was: connections are kept again. */
  revive(): void {
    if (this.#state !== 'retired') return
    this.#state = 'open'
    this.#watch.resume()
    this.#room.join(this)
  }

  get idleSinceUs(): number | null {
    return this.#kept.longestIdle?.idleSinceUs ?? null
  }

  closeLongestIdle(): void {
    this.#kept.takeLongestIdle()?.close()
  }

  #exchangeHost(): ExchangeHost {
    return {
      clock: this.#clock,
      takeKept: () => this.#kept.take(),
      writeSoon: (exchange) => this.#outbox.add(exchange),
      dial: (connectMs, user) => this.#dial(connectMs, user),
      awaits: (exchange) => this.#awaiting.add(exchange),
      awaitsNoMore: (exchange) => this.#awaiting.delete(exchange),
      adopt: (connection) => this.#watch.adopt(connection),
      giveBack: (connection, keepAliveMs) => this.#giveBack(connection, keepAliveMs),
      lost: (connection) => this.#kept.lost(connection),
      count: (use) => {
        this.#counts[use]++
      },
      opened: (connection) => this.#noteOpened(connection),
      noteFirstByte: (us) => this.#firstByteTimes.note(us),
    }
  }

  #openWatch(): PathWatch {
    return new PathWatch({
      clock: this.#clock,
      kept: this.#kept,
      pingRequest: () => this.#pingRequest,
      isFull: () => this.#line.taken >= this.#line.size,
      live: () => this.#live(),
      slots: () => this.#line.size,
      dial: (user) => this.#dialAhead(user),
      opened: (connection) => {
        this.#noteOpened(connection)
        this.#giveBack(connection, this.#kept.keepAliveMs)
      },
      giveBack: (connection, keepAliveMs) => this.#giveBack(connection, keepAliveMs),
    })
  }

  #pingRequestOf(backend: Backend, { pingEveryMs }: AgentSettings): PingRequest | null {
    const { ping } = backend
    if (ping === null) return null
    const credential = ping.withCredential ? (this.#options.credentialHeaders?.(backend) ?? []) : []
    return { head: pingHead(backend, this.#address.hostHeader, credential), everyMs: ping.everyMs ?? pingEveryMs }
  }

  #noteOpened({ connectUs, tlsUs }: Connection): void {
    this.#opened++
    this.#connectTimes.note(connectUs + (tlsUs ?? 0))
  }

  #live(): Connection[] {
    return [...this.#connections].filter(({ isGivenUp }) => !isGivenUp)
  }

  /**
   * A dial that is given up goes on in Bun until the kernel gives up too (two minutes where nothing answers), holding a file
   * descriptor. So these are bounded too: nothing is dialled while there are as many as slots.
   */
  #isHanging(): boolean {
    const { size } = this.#line
    return this.#connections.size >= 2 * size && this.#connections.size - this.#live().length >= size
  }

  #dial(connectMs: number, user: ConnectionUser): Connection | DialRefusal {
    if (this.#state === 'closed') return { reason: 'connect', message: 'the agent has ended' }
    if (this.#isHanging())
      return { reason: 'connect', message: `${this.#line.size} dials that were given up still hang` }
    if (this.#isCrowded()) this.closeLongestIdle() // an upload takes none that is kept
    if (!this.#room.enter()) return { reason: 'no_room', message: noRoom(this.#room) }
    return this.#open(connectMs, user)
  }

  /** For nobody yet. */
  #dialAhead(user: ConnectionUser): Connection | null {
    if (this.#state !== 'open' || this.#isHanging()) return null
    return this.#room.enterIfFree() ? this.#open(this.#terms.limits.connectMs, user) : null
  }

  #open(connectMs: number, user: ConnectionUser): Connection {
    const onGone = (gone: Connection): void => {
      this.#connections.delete(gone)
      this.#room.leave()
    }
    const connection = new Connection(
      { address: this.#address, clock: this.#clock, resolver: this.#resolver, connectMs, onGone },
      user,
    )
    this.#connections.add(connection)
    return connection
  }

  #giveBack(connection: Connection, keepAliveMs: number | null): void {
    if (this.#state !== 'open' || this.#isOneTooMany()) {
      connection.close()
      return
    }
    this.#kept.keep(connection, keepAliveMs)
    this.#watch.start()
    for (const exchange of this.#awaiting) {
      const free = this.#kept.take()
      if (free === null) return
      exchange.takeOver(free)
    }
  }

  /** There is no place for one more beside what is open and dials. */
  #isCrowded(): boolean {
    const { size } = this.#line
    return this.#connections.size >= size && this.#live().length >= size
  }

  /** A ping, and a dial that was left to us, may have made more connections than there are slots. */
  #isOneTooMany(): boolean {
    const { size } = this.#line
    return this.#connections.size > size && this.#live().length > Math.max(size, this.#line.taken)
  }
}

const noRoom = ({ connectionsMax }: ConnectionRoom): string =>
  `the gateway has ${connectionsMax} connections open, as many as agents.connections_max allows`
