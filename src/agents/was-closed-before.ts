const MARGIN_US = 20_000
const WINDOW_US_MIN = 25_000
const WINDOW_US_MAX = 400_000

/**
 * Whether a kept connection that ended so long after the first byte of a request was written was surely closed for being idle. Only a connection
 * that has rested can have been; and only a close that was under way already when the request left (a round trip ago at most) is surely no answer
 * to it. What was not even written to the end needs no such proof. A resend goes out on a new connection, so there is never a second one.
 */
export function wasClosedBefore(roundTripUs: number, sinceUs: number): boolean {
  const windowUs = Math.max(WINDOW_US_MIN, 2 * roundTripUs + MARGIN_US)
  return sinceUs <= Math.min(WINDOW_US_MAX, windowUs)
}
