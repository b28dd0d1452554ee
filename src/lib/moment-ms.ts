const MOMENT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * A day in UTC (`2027-01-31`) or a moment with its zone (`2027-01-31T12:00:00Z`), in ms since 1970; null for anything else, and for a day
 * that no month has: `Date` would take February 30 for March 2.
 */
export function momentMs(text: string): number | null {
  const [, day] = MOMENT.exec(text) ?? []
  if (day === undefined) return null
  const dayMs = Date.parse(day)
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, day.length) !== day) return null
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : atMs
}
