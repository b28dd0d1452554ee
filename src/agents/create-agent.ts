import type { AgentSettings, Backend } from '../domain/index.ts'
import { assert, type CancelTimer, type Clock } from '../lib/index.ts'
import { ActiveExchange, type ExchangeEvent, type ExchangeHost } from './active-exchange.ts'
import { type Address, addressOf } from './address.ts'
import { Connection, type ConnectionUser } from './connection.ts'
import type { Agent, AgentStats, Exchange, ExchangeObserver, OutgoingRequest, Slot, Waiter } from './contract.ts'
import { KeptConnections } from './kept-connections.ts'
import { writeRequestHead } from './request-head.ts'
import { SlotLine, TakenSlot } from './slot-line.ts'

export interface AgentOptions {
  readonly backend: Backend
  readonly settings: AgentSettings
  readonly clock: Clock
}

/** Makes the agent of a backend. It opens nothing before the first request. Throws when the base URL is no HTTP address. */
export function createAgent(options: AgentOptions): KeepAliveAgent {
  return new KeepAliveAgent(options)
}

const SWEEP_MS = 500

/** Slots, connections and exchanges of one backend. */
export class KeepAliveAgent implements Agent {
  readonly backend: string
  readonly #address: Address
  readonly #clock: Clock
  readonly #line: SlotLine
  readonly #kept: KeptConnections
  readonly #host: ExchangeHost
  readonly #exchanges = new Map<Slot, ActiveExchange>()
  /** All that dial or are open, and dials that were given up and cannot be told. */
  readonly #connections = new Set<Connection>()
  #cancelSweep: CancelTimer | null = null
  #state: 'open' | 'retired' | 'closed' = 'open'
  readonly #counts: Record<ExchangeEvent, number> = { opened: 0, sent_on_new: 0, sent_on_kept: 0, resent: 0 }

  constructor({ backend, settings, clock }: AgentOptions) {
    this.backend = backend.id
    this.#address = addressOf(backend)
    this.#clock = clock
    this.#line = new SlotLine(this, backend.slots)
    this.#kept = new KeptConnections(settings, clock)
    this.#host = {
      clock,
      takeKept: () => this.#kept.take(),
      dial: (connectMs, user) => this.#dial(connectMs, user),
      giveBack: (connection, keepAliveMs) => this.#giveBack(connection, keepAliveMs),
      count: (event) => {
        this.#counts[event]++
      },
    }
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
    assert(this.#exchanges.get(slot)?.isOver !== false, 'a slot was released before its exchange was over')
    this.#exchanges.delete(slot)
    this.#line.release(slot)
  }

  send(slot: Slot, request: OutgoingRequest, observer: ExchangeObserver): Exchange {
    assert(slot instanceof TakenSlot && slot.agent === this && !slot.isReleased, 'a request was sent without a slot')
    assert(this.#exchanges.get(slot)?.isOver !== false, 'two requests were sent on one slot')
    const head = writeRequestHead(this.#address.hostHeader, request)
    const exchange = new ActiveExchange(this.#host, request, head, observer)
    this.#exchanges.set(slot, exchange)
    exchange.start()
    return exchange
  }

  stats(): AgentStats {
    let connectionsOpen = 0
    for (const connection of this.#connections) if (connection.isOpen) connectionsOpen++
    return {
      slots: this.#line.size,
      slotsTaken: this.#line.taken,
      waiters: this.#line.waiters,
      connectionsOpen,
      connectionsIdle: this.#kept.size,
      connectionsOpened: this.#counts.opened,
      requestsSent: this.#counts.sent_on_new + this.#counts.sent_on_kept,
      requestsOnKept: this.#counts.sent_on_kept,
      resends: this.#counts.resent,
    }
  }

  close(): void {
    this.retire()
    this.#state = 'closed'
    this.#line.leaveAll()
  }

  /** Takes over what may change while it runs. */
  adjust(settings: AgentSettings, slots: number): void {
    this.#kept.settings = settings
    if (slots !== this.#line.size) this.#line.resize(slots)
  }

  /** For the agent of a backend that has changed: keeps no connection any more, but serves who waits and who still asks. */
  retire(): void {
    if (this.#state === 'open') this.#state = 'retired'
    this.#kept.closeAll()
    this.#stopSweeping()
  }

  /** The backend is what it was: connections are kept again. */
  revive(): void {
    if (this.#state === 'retired') this.#state = 'open'
  }

  /**
   * A dial that is given up goes on in Bun until the kernel gives up too (two minutes where nothing answers), holding a file
   * descriptor. So these are bounded too: at most as many as there are slots.
   */
  #dial(connectMs: number, user: ConnectionUser): Connection | null {
    if (this.#state === 'closed' || this.#connections.size >= 2 * this.#line.size) return null
    const onGone = (gone: Connection): void => {
      this.#connections.delete(gone)
    }
    const connection = new Connection({ address: this.#address, clock: this.#clock, connectMs, onGone }, user)
    this.#connections.add(connection)
    return connection
  }

  #giveBack(connection: Connection, keepAliveMs: number | null): void {
    if (this.#state !== 'open') {
      connection.close()
      return
    }
    this.#kept.keep(connection, keepAliveMs)
    this.#cancelSweep ??= this.#clock.every(SWEEP_MS, () => this.#sweep())
  }

  #sweep(): void {
    this.#kept.sweep()
    if (this.#connections.size === 0) this.#stopSweeping()
  }

  #stopSweeping(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = null
  }
}
