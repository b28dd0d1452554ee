import type { ExchangeTiming } from '../../src/domain/index.ts'

/** The times of an exchange of which nothing is known but how its connection came to serve, and what is given. */
export const timingOf = (
  connection: ExchangeTiming['connection'],
  times: Partial<ExchangeTiming> = {},
): ExchangeTiming => ({
  dnsUs: null,
  connectUs: null,
  tlsUs: null,
  writeUs: null,
  firstByteUs: null,
  connection,
  connectionAgeMs: null,
  ...times,
})
