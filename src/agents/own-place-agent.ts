import type { Backend } from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import type { Agent, AgentStats, Exchange, ExchangeObserver, OutgoingRequest, Slot, Waiter } from './contract.ts'
import type { Outbound } from './outbound.ts'
import { SlotLine, TakenSlot } from './slot-line.ts'

/**
 * The agent of an account's own place: slots like any other, but every request takes the checked way out, on a connection of its own.
 * Nothing is kept, pinged, warmed or sent twice.
 */
export class OwnPlaceAgent implements Agent {
  readonly backend: string
  readonly #origin: string
  readonly #outbound: Pick<Outbound, 'send'>
  readonly #line: SlotLine
  readonly #onRest: () => void
  #sent = 0
  #isClosed = false

  /** `onRest`: nobody uses it, or waits for it, any more. */
  constructor(
    backend: Pick<Backend, 'id' | 'baseUrl' | 'slots'>,
    outbound: Pick<Outbound, 'send'>,
    onRest: () => void,
  ) {
    this.backend = backend.id
    this.#origin = new URL(backend.baseUrl).origin
    this.#outbound = outbound
    this.#onRest = onRest
    this.#line = new SlotLine(this, backend.slots)
  }

  take(): Slot | null {
    return this.#isClosed ? null : this.#line.take()
  }

  join(waiter: Waiter): void {
    if (!this.#isClosed) this.#line.join(waiter)
  }

  leave(waiter: Waiter): void {
    this.#line.leave(waiter)
    this.#restIfUnused()
  }

  release(slot: Slot): void {
    assert(slot instanceof TakenSlot && slot.agent === this, 'a slot was released at another agent')
    this.#line.release(slot)
    this.#restIfUnused()
  }

  send(slot: Slot, { target, resend: _, ...request }: OutgoingRequest, observer: ExchangeObserver): Exchange {
    assert(slot instanceof TakenSlot && slot.agent === this && !slot.isReleased, 'a request was sent without a slot')
    this.#sent++
    return this.#outbound.send(this.#origin + target, request, observer)
  }

  keepWarm(): void {
    this.#restIfUnused()
  }

  stats(): AgentStats {
    return {
      slots: this.#line.size,
      slotsTaken: this.#line.taken,
      waiters: this.#line.waiters,
      connectionsDialling: 0,
      connectionsOpen: 0,
      connectionsIdle: 0,
      connectionsOpened: 0,
      requestsSent: this.#sent,
      requestsOnKept: 0,
      resends: 0,
      path: NO_PATH,
    }
  }

  close(): void {
    this.#isClosed = true
    this.#line.leaveAll()
  }

  #restIfUnused(): void {
    if (this.#line.taken === 0 && this.#line.waiters === 0) this.#onRest()
  }
}

/** Its connections are nobody's but their requests'. */
const NO_PATH: AgentStats['path'] = {
  isKeptWarm: false,
  pings: 0,
  pingsFailed: 0,
  pingState: 'off',
  lastPing: null,
  learnedIdleMs: null,
  connect: null,
  firstByte: null,
}
