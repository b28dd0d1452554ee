import type { ObservedOffer } from '../../health/index.ts'

/** What was observed of attempts lately, as the admin API says it. */
export const observedView = ({ firstContentMs, throughput, uptime, samples }: ObservedOffer): object => ({
  first_content_ms: firstContentMs,
  tokens_per_second: throughput,
  success_rate: { last_5m: uptime.last5m, last_30m: uptime.last30m, last_1d: uptime.last1d },
  samples,
})
