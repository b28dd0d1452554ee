import type { KeyLimits } from '../domain/index.ts'
import {
  Bug,
  type Clock,
  createSecondChance,
  createSteadyClock,
  type Living,
  type SharedRead,
  type SteadyClock,
  sharedRead,
} from '../lib/index.ts'
import type { MainReads, WindowPart, Writer } from '../store/index.ts'
import { createRateWindow, type LivePart, type RateWindow } from './rate-window.ts'

/** The limits of keys on rate and concurrency, in memory. A key without any never comes here. */
export interface Limits {
  /** Whether a request can be let in without a read. */
  isOpen(keyId: string): boolean
  /** Reads what the key's last minute was before this process. Rejects as a shared read does. */
  open(keyId: string): Promise<void>
  /**
   * Lets a request in, or says which limit it meets: then nothing was counted. In one tick, so that no number of requests at once passes a limit.
   * Throws `Bug` when the key is not open.
   */
  admit(keyId: string, limits: KeyLimits): Admission | LimitRefusal
  /** Admissions that have not been ended, of all keys. */
  readonly inProgress: number
}

/** A request that was let in. It must be ended, whatever becomes of it. */
export interface Admission {
  readonly kind: 'admitted'
  /**
   * Counts the tokens a request may come to: `likely`, but never more than the whole limit, unless it needs that many at the `least`. Null when it
   * may go on; what it is refused for is not counted.
   */
  takeTokens(least: number, likely: number): LimitRefusal | null
  /** What it came to, instead of the estimate. Only the first time. */
  settle(tokens: number): void
  /** Gives back its place among the requests in progress; without a settlement it came to no tokens. Only the first time. */
  end(): void
  rates(): Rates
}

export interface LimitRefusal {
  readonly kind: 'refused'
  readonly limit: keyof KeyLimits
  /** The limit itself. */
  readonly max: number
  /** When it may be met no more; null when it is met by this request alone, whenever it comes. */
  readonly retryAfterMs: number | null
  readonly rates: Rates
}

/** Where a key stands; null for what has no limit. */
export interface Rates {
  readonly requests: Rate | null
  readonly tokens: Rate | null
}

export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** How long until nothing of it is used, in ms, and when that is, in ms since 1970. */
  readonly resetMs: number
  readonly resetAtMs: number
}

export interface LimitsOptions {
  readonly reads: Pick<MainReads, 'keyWindow'>
  readonly writer: Pick<Writer, 'window'>
  readonly clock: Clock
  readonly sizeMax?: number
}

interface LiveLimits extends Living {
  readonly window: RateWindow
  inProgress: number
}

const KEYS_LIVE_MAX = 100_000
const WINDOW_MS = 60_000
const CONCURRENCY_RETRY_MS = 1000 // when one of the requests in progress will end, nobody knows

/**
 * Makes the room's limits. The windows of keys that did nothing for a minute make room for others. A minute is one, whatever the machine's clock is set
 * to meanwhile.
 */
export function createLimits({ reads, writer, clock, sizeMax = KEYS_LIVE_MAX }: LimitsOptions): Limits {
  const steady = createSteadyClock(clock)
  const isIdle = ({ inProgress, window }: LiveLimits): boolean => {
    const nowMs = steady.nowMs()
    window.roll(nowMs)
    return inProgress === 0 && window.resetMs(nowMs) === 0
  }
  const live = createSecondChance<LiveLimits>({ sizeMax, isIdle, onEvict: (keyId) => opened.drop(keyId) })
  const opened: SharedRead<true> = sharedRead({ read: openOne, clock, sizeMax })
  let inProgress = 0

  /** What the disk has is from before this process: since then the key has not been live, or it would be still. */
  async function openOne(keyId: string): Promise<true> {
    const stored = await reads.keyWindow(keyId, steady.nowMs() - WINDOW_MS)
    if (live.get(keyId) === undefined) begin(keyId, stored)
    return true
  }

  function begin(id: string, stored: readonly WindowPart[]): LiveLimits {
    const nowMs = steady.nowMs()
    // The clock may have been set back while no process ran: nothing is counted for longer than a minute from now.
    const past = stored.map((part) => ({ ...part, lastAtMs: Math.min(part.lastAtMs, nowMs) }))
    const window = createRateWindow(id, past, (part) => writer.window(part))
    const made = { id, usedLately: false, window, inProgress: 0 }
    live.add(made)
    return made
  }

  return {
    get inProgress() {
      return inProgress
    },
    isOpen: (keyId) => live.get(keyId) !== undefined,
    async open(keyId) {
      await opened.load(keyId)
    },
    admit(keyId, limits) {
      const key = live.get(keyId)
      if (key === undefined) throw new Bug(`the limits of ${keyId} are not open`)
      const nowMs = steady.nowMs()
      key.window.roll(nowMs)
      const { requestsPerMinute, concurrency } = limits
      const refused = (limit: keyof KeyLimits, max: number, retryAfterMs: number): LimitRefusal => ({
        kind: 'refused',
        limit,
        max,
        retryAfterMs,
        rates: ratesOf(key.window, limits, steady),
      })
      if (concurrency !== null && key.inProgress >= concurrency)
        return refused('concurrency', concurrency, CONCURRENCY_RETRY_MS)
      const over = key.window.requests + 1 - (requestsPerMinute ?? Number.POSITIVE_INFINITY)
      if (requestsPerMinute !== null && over > 0)
        return refused('requestsPerMinute', requestsPerMinute, key.window.waitMs('requests', over, nowMs))
      inProgress += 1
      key.inProgress += 1
      const onEnd = (): void => {
        inProgress -= 1
        key.inProgress -= 1
      }
      return admission(key, limits, steady, onEnd)
    },
  }
}

/** Counts a request, which none of its limits refuses, and is its handle. */
function admission({ window }: LiveLimits, limits: KeyLimits, steady: SteadyClock, onEnd: () => void): Admission {
  const { requestsPerMinute, tokensPerMinute } = limits
  if (requestsPerMinute !== null || tokensPerMinute !== null) window.add(steady.nowMs(), 1, 0)
  let taken: { readonly part: LivePart; readonly tokens: number } | null = null
  let isEnded = false

  function settle(tokens: number): void {
    if (taken !== null) window.correct(taken.part, tokens - taken.tokens)
    taken = null
  }

  return {
    kind: 'admitted',
    settle,
    takeTokens(least, likely) {
      if (tokensPerMinute === null) return null
      const nowMs = steady.nowMs()
      window.roll(nowMs)
      const tokens = Math.max(least, Math.min(likely, tokensPerMinute))
      const over = window.tokens + tokens - tokensPerMinute
      if (over > 0) {
        const retryAfterMs = tokens > tokensPerMinute ? null : window.waitMs('tokens', over, nowMs)
        const rates = ratesOf(window, limits, steady)
        return { kind: 'refused', limit: 'tokensPerMinute', max: tokensPerMinute, retryAfterMs, rates }
      }
      taken = { part: window.add(nowMs, 0, tokens), tokens }
      return null
    },
    end() {
      if (isEnded) return
      isEnded = true
      settle(0)
      onEnd()
    },
    rates() {
      window.roll(steady.nowMs())
      return ratesOf(window, limits, steady)
    },
  }
}

function ratesOf(window: RateWindow, { requestsPerMinute, tokensPerMinute }: KeyLimits, steady: SteadyClock): Rates {
  const nowMs = steady.nowMs()
  const resetMs = window.resetMs(nowMs)
  const resetAtMs = steady.toWallMs(nowMs + resetMs)
  const rate = (limit: number | null, used: number): Rate | null =>
    limit === null ? null : { limit, remaining: Math.max(0, limit - used), resetMs, resetAtMs }
  return { requests: rate(requestsPerMinute, window.requests), tokens: rate(tokensPerMinute, window.tokens) }
}
