import { assert, PassingSet } from '../lib/index.ts'
import type { Agent, Slot, Waiter } from './contract.ts'

/**
 * The slots of one agent and who waits for them. Nobody overtakes: a slot is taken directly only when the line is empty.
 * Every step leaves a sound state before it calls a waiter, so that waiters may take, join, leave and release in turn.
 */
export class SlotLine {
  readonly #agent: Agent
  readonly #waiters = new PassingSet<Waiter>()
  #size: number
  #taken = 0

  constructor(agent: Agent, size: number) {
    this.#agent = agent
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  /** More than the size for as long as slots of a larger line are still out. */
  get taken(): number {
    return this.#taken
  }

  get waiters(): number {
    return this.#waiters.size
  }

  /** A free slot; null when none is free or somebody waits. */
  take(): TakenSlot | null {
    return this.#waiters.size > 0 ? null : this.#pick()
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter)
    this.#offerFree()
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter)
  }

  leaveAll(): void {
    this.#waiters.clear()
  }

  /** From now on there are so many: more are offered to the waiters at once, fewer take nobody's slot away. */
  resize(size: number): void {
    this.#size = size
    this.#offerFree()
  }

  release(slot: TakenSlot): void {
    this.#free(slot)
    this.#offerFree()
  }

  /** Who is offered a slot leaves the line, whatever the answer: who declines has no use for one, and must not block it. */
  #offerFree(): void {
    for (let waiter = this.#waiters.first(); waiter !== undefined; waiter = this.#waiters.first()) {
      const slot = this.#pick()
      if (slot === null) return
      this.#waiters.delete(waiter)
      let isTaken = false
      try {
        isTaken = waiter.offer(slot)
      } finally {
        if (!isTaken) this.#free(slot)
      }
    }
  }

  #pick(): TakenSlot | null {
    if (this.#taken >= this.#size) return null
    this.#taken++
    return new TakenSlot(this.#agent)
  }

  #free(slot: TakenSlot): void {
    assert(!slot.isReleased, 'a slot was released twice')
    slot.isReleased = true
    this.#taken--
  }
}

/** A slot as its agent sees it. */
export class TakenSlot implements Slot {
  readonly agent: Agent
  isReleased = false
  /** What was sent on it last. */
  exchange: { readonly isOver: boolean } | null = null

  constructor(agent: Agent) {
    this.agent = agent
  }
}
