import type { Clock } from './clock.ts'
import { forgetOldest } from './forget-oldest.ts'

/** Nothing that was waited for came within the deadline. */
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
  /** How long anybody waits in all. */
  readonly deadlineMs?: number
  /** In the tick in which a value comes into memory. */
  readonly onKeep?: (value: V) => void
}

/** Rows by key: read once, shared by all who ask, dropped by every write. */
export interface SharedRead<V> {
  /** The value in memory; undefined when it must be read. */
  peek(key: string): V | undefined
  /** The value, from memory, from a read under way, or from a read of its own. Rejects with `ReadDeadline` or the read's error. */
  load(key: string): Promise<V>
  /** A write, in the tick in which memory changes: reads begun before it are stored nowhere, and their waiters read again at once. */
  drop(key: string): void
}

type Ended<V> = { readonly kind: 'current'; readonly value: V } | { readonly kind: 'outdated' }

/** A read under way, for all who wait for it. */
interface Reading<V> {
  readonly ended: Promise<Ended<V>>
  /** Its value is wanted no more: whoever waits for it asks again. */
  outdate(): void
}

const JOIN_MS = 1500
const DEADLINE_MS = 5000

/**
 * Makes a shared read. A reading may store its value only while it is still the key's: a write takes it away, so a value read before the write
 * can never come back after it.
 */
export function sharedRead<V>(options: SharedReadOptions<V>): SharedRead<V> {
  const { read, clock, sizeMax, joinMs = JOIN_MS, deadlineMs = DEADLINE_MS, onKeep } = options
  const values = new Map<string, V>()
  const readings = new Map<string, Reading<V>>()

  function start(key: string): Reading<V> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<Ended<V>>()
    const reading: Reading<V> = { ended, outdate: () => resolve({ kind: 'outdated' }) }
    const isCurrent = () => readings.get(key) === reading
    read(key).then(
      (value) => {
        if (!isCurrent()) return // whoever waited for it has been told
        readings.delete(key)
        values.set(key, value)
        forgetOldest(values, sizeMax)
        onKeep?.(value)
        resolve({ kind: 'current', value })
      },
      (error: unknown) => {
        if (!isCurrent()) return
        readings.delete(key)
        reject(error)
      },
    )
    readings.set(key, reading)
    return reading
  }

  function evict(key: string, reading: Reading<V>): void {
    if (readings.get(key) === reading) readings.delete(key)
    reading.outdate()
  }

  /** The first joiner whose patience ends puts a read of its own in the place of the one it waited for; the others join that one. */
  async function readShared(key: string): Promise<V> {
    const endUs = clock.monotonicUs() + deadlineMs * 1000
    for (;;) {
      const known = values.get(key)
      if (known !== undefined) return known
      const leftMs = (endUs - clock.monotonicUs()) / 1000
      if (leftMs <= 0) throw new ReadDeadline(`a read took more than ${deadlineMs} ms`)
      const joined = readings.get(key)
      const reading = joined ?? start(key)
      const ended = await within(reading.ended, clock, joined === undefined ? leftMs : Math.min(joinMs, leftMs))
      if (ended === null) evict(key, reading)
      else if (ended.kind === 'current') return ended.value
    }
  }

  return {
    peek: (key) => values.get(key),
    async load(key) {
      return values.get(key) ?? readShared(key)
    },
    drop(key) {
      values.delete(key)
      const reading = readings.get(key)
      if (reading !== undefined) evict(key, reading)
    },
  }
}

/** Null when it does not settle within that time. */
function within<T>(settling: Promise<T>, clock: Clock, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const cancel = clock.after(ms, () => late.resolve(null))
  return Promise.race([settling, late.promise]).finally(cancel)
}
