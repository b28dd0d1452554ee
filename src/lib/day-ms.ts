/** A day of UTC: it knows no daylight saving and no leap seconds. */
export const DAY_MS = 86_400_000
