import type { Rate, Rates } from '../accounts/index.ts'
import { type SurfaceName, surfaceOf } from '../dialects/index.ts'

/**
 * The headers that say where a key stands in its limits per minute, of those it has: OpenAI's six, with a reset as it writes them ("6ms", "1s",
 * "6m0s"), when nothing will be used any more. On OpenRouter's surfaces also its three, of the tighter one, with the reset in ms since 1970.
 */
export function rateHeaders({ requests, tokens }: Rates, surface: SurfaceName): Record<string, string> {
  const headers: Record<string, string> = {}
  if (requests !== null) put(headers, 'requests', requests)
  if (tokens !== null) put(headers, 'tokens', tokens)
  const tighter = tighterOf(requests, tokens)
  if (tighter !== null && surfaceOf(surface).isStamped) {
    headers['x-ratelimit-limit'] = String(tighter.limit)
    headers['x-ratelimit-remaining'] = String(tighter.remaining)
    headers['x-ratelimit-reset'] = String(tighter.resetAtMs)
  }
  return headers
}

function put(headers: Record<string, string>, what: string, { limit, remaining, resetMs }: Rate): void {
  headers[`x-ratelimit-limit-${what}`] = String(limit)
  headers[`x-ratelimit-remaining-${what}`] = String(remaining)
  headers[`x-ratelimit-reset-${what}`] = durationText(resetMs)
}

/** The one of which the smaller part remains. */
function tighterOf(one: Rate | null, other: Rate | null): Rate | null {
  if (one === null || other === null) return one ?? other
  return one.remaining / one.limit <= other.remaining / other.limit ? one : other
}

function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.ceil(durationMs)}ms`
  const seconds = Math.ceil(durationMs / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
