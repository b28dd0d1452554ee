import type { Percentiles } from '../../../domain/index.ts'
import type { ObservedPercentiles } from '../../../health/index.ts'
import type { Ranking } from '../rule.ts'

/** `preferred_max_latency` and `preferred_min_throughput`: what is known to miss one comes later, what misses both last. Nothing is dropped. */
export const preferredSpeed: Ranking = {
  kind: 'ranking',
  name: 'preferred-speed',
  applies({ request }) {
    const asked = request?.preferences
    return asked !== undefined && (asked.maxLatencyMs !== null || asked.minThroughput !== null)
  },
  key({ offer }, { observed }, { request }) {
    const seen = observed.of(offer.id)
    const asked = request?.preferences
    if (seen === null || asked === undefined) return 0
    const isSlow = missed(asked.maxLatencyMs, seen.firstContentMs, (ms, most) => ms > most)
    const isThin = missed(asked.minThroughput, seen.throughput, (speed, least) => speed < least)
    return (isSlow ? 1 : 0) + (isThin ? 1 : 0)
  },
}

const NAMES = ['p50', 'p75', 'p90', 'p99'] as const

function missed(
  asked: Percentiles | null,
  seen: ObservedPercentiles | null,
  isWorse: (value: number, bound: number) => boolean,
): boolean {
  if (asked === null || seen === null) return false
  return NAMES.some((name) => {
    const bound = asked[name]
    return bound !== null && isWorse(seen[name], bound)
  })
}
