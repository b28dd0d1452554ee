import type { WindowPart } from '../store/index.ts'

/** What a key was let in for in its last minute: requests and tokens. */
export interface RateWindow {
  readonly requests: number
  readonly tokens: number
  /** Forgets what is over. Before any other question. */
  roll(nowMs: number): void
  /** Counts now. The answer is for `correct`. */
  add(nowMs: number, requests: number, tokens: number): LivePart
  /** Counts tokens more or less than were counted then. */
  correct(part: LivePart, tokens: number): void
  /** How long until so many fewer are counted, in ms: at least 1, at most a minute. */
  waitMs(what: 'requests' | 'tokens', fewer: number, nowMs: number): number
  /** How long until nothing is counted any more, in ms. */
  resetMs(nowMs: number): number
}

/** A part while it is in memory. */
export type LivePart = { -readonly [N in keyof WindowPart]: WindowPart[N] } & { isOver: boolean }

const WINDOW_MS = 60_000
const PART_MS = 1000

/**
 * Makes a window that slides: nothing leaves it before a minute has passed, so no 60 seconds, wherever they begin, see more than was let in. It is
 * kept in parts of a second, each of which leaves a minute after the last thing in it: at most 61 of them, and what is let in comes back at
 * most a second late. `onChange` is told of each part that has changed.
 */
export function createRateWindow(
  keyId: string,
  stored: readonly WindowPart[],
  onChange: (part: WindowPart) => void,
): RateWindow {
  const parts: LivePart[] = stored.map((part) => ({ ...part, isOver: false }))
  const sums = { requests: 0, tokens: 0 }
  for (const { requests, tokens } of parts) {
    sums.requests += requests
    sums.tokens += tokens
  }

  function partAt(nowMs: number): LivePart {
    const last = parts.at(-1)
    if (last !== undefined && nowMs - last.firstAtMs < PART_MS) return last
    const part = { keyId, firstAtMs: nowMs, lastAtMs: nowMs, requests: 0, tokens: 0, isOver: false }
    parts.push(part)
    return part
  }

  return {
    get requests() {
      return sums.requests
    },
    get tokens() {
      return sums.tokens
    },
    roll(nowMs) {
      for (let first = parts[0]; first !== undefined && first.lastAtMs + WINDOW_MS <= nowMs; first = parts[0]) {
        sums.requests -= first.requests
        sums.tokens -= first.tokens
        first.isOver = true
        parts.shift()
      }
    },
    add(nowMs, requests, tokens) {
      const part = partAt(nowMs)
      part.lastAtMs = Math.max(part.lastAtMs, nowMs)
      part.requests += requests
      part.tokens += tokens
      sums.requests += requests
      sums.tokens += tokens
      onChange(part)
      return part
    },
    correct(part, tokens) {
      if (part.isOver || tokens === 0) return
      part.tokens += tokens
      sums.tokens += tokens
      onChange(part)
    },
    waitMs(what, fewer, nowMs) {
      let left = fewer
      for (const part of parts) {
        left -= part[what]
        if (left <= 0) return Math.max(1, part.lastAtMs + WINDOW_MS - nowMs)
      }
      return WINDOW_MS
    },
    resetMs: (nowMs) => Math.max(0, (parts.at(-1)?.lastAtMs ?? nowMs - WINDOW_MS) + WINDOW_MS - nowMs),
  }
}
