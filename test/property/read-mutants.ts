import type { RoutePlan } from '../../src/domain/index.ts'
import { type SharedRead, type SharedReadOptions, sharedRead } from '../../src/lib/index.ts'
import type { Wish } from '../../src/pipeline/route/rule.ts'

// Deliberate faults of shared reads and of routing that the property tests must find: a test that cannot fail becomes visible.

export type MakeSharedRead = <V>(options: SharedReadOptions<V>) => SharedRead<V>

/** A read begun before a write is stored all the same. */
const staleReadStored: MakeSharedRead = <V>(options: SharedReadOptions<V>): SharedRead<V> => {
  const stored = new Map<string, V>()
  const read = async (key: string): Promise<V> => {
    const value = await options.read(key)
    stored.set(key, value)
    return value
  }
  const inner = sharedRead({ ...options, read })
  return {
    peek: (key) => stored.get(key),
    load: async (key) => stored.get(key) ?? inner.load(key),
    drop(key) {
      stored.delete(key)
      inner.drop(key)
    },
  }
}

/** A write drops what is in memory, and not the read that is under way. */
const generationNotBumped: MakeSharedRead = (options) => {
  const inner = sharedRead(options)
  return {
    ...inner,
    drop(key) {
      if (inner.peek(key) !== undefined) inner.drop(key)
    },
  }
}

/** A write drops nothing. */
const notDropped: MakeSharedRead = (options) => ({ ...sharedRead(options), drop() {} })

/** A read that failed stays the one that everybody joins. */
const failedSlotNotEvicted: MakeSharedRead = <V>(options: SharedReadOptions<V>): SharedRead<V> => {
  const failed = new Map<string, Promise<V>>()
  const read = (key: string): Promise<V> => {
    const reading = failed.get(key) ?? options.read(key)
    reading.catch(() => failed.set(key, reading))
    return reading
  }
  return sharedRead({ ...options, read })
}

const FOREVER_MS = 1e12

/** Who joins a read waits for as long as that takes. */
const joinWithoutLimit: MakeSharedRead = (options) => sharedRead({ ...options, joinMs: FOREVER_MS })

/** Nothing ends a wait for a read that never settles. */
const waitWithoutEnd: MakeSharedRead = (options) => sharedRead({ ...options, deadlineMs: FOREVER_MS })

/** Everybody reads for himself: a cache for each request. */
const readsNotShared: MakeSharedRead = (options) => {
  const inner = sharedRead(options)
  return { ...inner, load: async (key) => inner.peek(key) ?? options.read(key) }
}

/** More is kept than there is room for. */
const unbounded: MakeSharedRead = (options) => sharedRead({ ...options, sizeMax: Number.POSITIVE_INFINITY })

/** No defect at all: the same shape, so that what the others fail for is their fault alone. */
export const unchangedSharedRead: MakeSharedRead = (options) => ({ ...sharedRead(options) })

/** What `shared-reads.test.ts` must find, one by one. */
export const sharedReadMutants: Readonly<Record<string, MakeSharedRead>> = {
  'a stale read is stored': staleReadStored,
  'the generation is not bumped': generationNotBumped,
  'a write drops nothing': notDropped,
  'the slot of a failed read is not evicted': failedSlotNotEvicted,
  'a join has no limit': joinWithoutLimit,
  'a wait has no end': waitWithoutEnd,
  'reads are not shared': readsNotShared,
  'memory has no bound': unbounded,
}

export type RouteDefect = (plan: RoutePlan, wish: Wish) => RoutePlan

/** What `route-reference.test.ts` must find. */
export const routeDefects: Readonly<Record<string, RouteDefect>> = {
  'a skip is lost': (plan) => ({ ...plan, skips: plan.skips.slice(0, -1) }),
  'a skip is told twice': (plan) => ({ ...plan, skips: [...plan.skips, ...plan.skips.slice(-1)] }),
  'evidence is lost': (plan) => ({ ...plan, skips: plan.skips.map(({ evidence: _, ...skip }) => skip) }),
  'candidates stand as they happened to come': ({ candidates, ...plan }) => ({
    ...plan,
    candidates: [...candidates.slice(1), ...candidates.slice(0, 1)],
  }),
  'an equal candidate is taken twice': ({ candidates, ...plan }) => ({
    ...plan,
    candidates: [...candidates, ...candidates.slice(0, 1)],
  }),
  'one half-open backend is no trial': ({ candidates, ...plan }) => ({
    ...plan,
    candidates: candidates.map(({ trial: _, ...candidate }) => candidate),
  }),
}
