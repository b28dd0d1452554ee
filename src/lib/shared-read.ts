import type { Clock } from './clock.ts'

/** A read that did not settle within its deadline. */
export class ReadDeadline extends Error {
  override name = 'ReadDeadline'
}

export interface SharedReadOptions<V> {
  /** Delivers a row, never a live object. Bound to no request: nothing cancels it. */
  readonly read: (key: string) => Promise<V>
  readonly clock: Clock
  /** How many values are kept; the oldest go first. */
  readonly sizeMax: number
  /** How long a joiner waits for a read that somebody else started. */
  readonly joinMs?: number
  readonly deadlineMs?: number
}

/** Rows by key: read once, shared by all who ask, dropped by every write. */
export interface SharedRead<V> {
  /** The value in memory; undefined when it must be read. */
  peek(key: string): V | undefined
  /** The value, from memory, from a read under way, or from a read of its own. Rejects with `ReadDeadline` or the read's error. */
  load(key: string): Promise<V>
  /** A write, in the tick in which memory changes: reads begun before it are stored nowhere, and their waiters read again. */
  drop(key: string): void
}

type Ended<V> = { readonly kind: 'current'; readonly value: V } | { readonly kind: 'outdated' }

const JOIN_MS = 1500
const DEADLINE_MS = 5000

/**
 * Makes a shared read. A slot's identity is its generation: a read may store its value only while the slot it was
 * begun for is still the key's slot, so a value read before a write can never come back after it.
 */
export function sharedRead<V>(options: SharedReadOptions<V>): SharedRead<V> {
  const { read, clock, sizeMax, joinMs = JOIN_MS, deadlineMs = DEADLINE_MS } = options
  const values = new Map<string, V>()
  const slots = new Map<string, { ended: Promise<Ended<V>> }>()

  function keep(key: string, value: V): void {
    if (values.size >= sizeMax) {
      const oldest = values.keys().next()
      if (!oldest.done) values.delete(oldest.value)
    }
    values.set(key, value)
  }

  function start(key: string): Promise<Ended<V>> {
    const slot = { ended: Promise.resolve<Ended<V>>({ kind: 'outdated' }) }
    const isCurrent = () => slots.get(key) === slot
    slot.ended = withDeadline(read(key), clock, deadlineMs).then(
      (value) => {
        if (!isCurrent()) return { kind: 'outdated' }
        slots.delete(key)
        keep(key, value)
        return { kind: 'current', value }
      },
      (error: unknown) => {
        if (isCurrent()) slots.delete(key)
        throw error
      },
    )
    slots.set(key, slot)
    return slot.ended
  }

  /** Waits for another's read; the first joiner whose patience ends replaces it, the others join that one. */
  async function join(key: string, slot: { ended: Promise<Ended<V>> }): Promise<Ended<V>> {
    const late = new Promise<'late'>((resolve) => {
      const cancel = clock.after(joinMs, () => resolve('late'))
      const stop = () => cancel()
      slot.ended.then(stop, stop)
    })
    const first = await Promise.race([slot.ended, late])
    if (first !== 'late') return first
    return slots.get(key) === slot ? start(key) : { kind: 'outdated' }
  }

  return {
    peek: (key) => values.get(key),
    async load(key) {
      for (;;) {
        const known = values.get(key)
        if (known !== undefined) return known
        const slot = slots.get(key)
        const ended = await (slot === undefined ? start(key) : join(key, slot))
        if (ended.kind === 'current') return ended.value
      }
    },
    drop(key) {
      values.delete(key)
      slots.delete(key)
    },
  }
}

function withDeadline<V>(reading: Promise<V>, clock: Clock, deadlineMs: number): Promise<V> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => reject(new ReadDeadline(`a read took more than ${deadlineMs} ms`)))
    reading.then(resolve, reject).finally(cancel)
  })
}
