import type { LearnedReads, LearnedWrites } from '../../src/store/index.ts'
import type { Tables } from './store-double-tables.ts'

/** `LearnedWrites` of a store double: at once, apart from its batches. */
export const learnedWrites = ({ observed, sticky }: Tables): LearnedWrites => ({
  learned({ forgotten, observed: slices, sticky: rows, expired }) {
    for (const [name, { offer }] of observed) if (forgotten.includes(offer)) observed.delete(name)
    for (const slice of slices) observed.set(`${slice.offer} ${slice.lengthMs} ${slice.startsAtMs}`, slice)
    for (const row of rows) sticky.set(`${row.accountId} ${row.session} ${row.model}`, row)
    if (expired === null) return
    for (const [name, { expiresAtMs }] of observed) if (expiresAtMs <= expired.observedMs) observed.delete(name)
    for (const [name, { usedAtMs }] of sticky) if (usedAtMs <= expired.stickyMs) sticky.delete(name)
  },
})

export const learnedReads = ({ observed, sticky }: Tables): LearnedReads => ({
  observed: async (nowMs) => [...observed.values()].filter(({ expiresAtMs }) => expiresAtMs > nowMs),
  async sticky(sinceMs, rowsMax) {
    const rows = [...sticky.values()].filter(({ usedAtMs }) => usedAtMs > sinceMs)
    return rows.sort((one, other) => one.usedAtMs - other.usedAtMs).slice(-rowsMax)
  },
})
