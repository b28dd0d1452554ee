import type { Database } from 'bun:sqlite'
import { firstOfMonth } from './months.ts'
import { ROLL_UPS } from './roll-ups.ts'
import { SETTLEMENTS_AT_ONCE, SUM_MAX, SUMMED, SUMMED_NAMES, type Summed } from './summed.ts'

export interface UsageCompared {
  /** Both connections read integers as BigInt. */
  readonly ledger: Database
  readonly records: Database
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

type Sums = Readonly<Record<Summed, bigint>>
type DaySums = Sums & { readonly day: bigint }

const FAULTS_MAX = 20

/**
 * Adds up the settlements that the records have followed, by day and by month, and compares them with each table of roll-ups. In words what is
 * otherwise; a sum that has come to the largest number is compared with nothing.
 */
export async function compareUsage({ ledger, records, pause }: UsageCompared): Promise<string[]> {
  const { followed, stored } = storedSums(records)
  const settled = new Map<bigint, Record<Summed, bigint>>()
  const page = ledger.prepare<DaySums, [number, number]>(
    `SELECT ended_at_ms / 86400000 AS day, ${SUMMED_NAMES.map((name) => `sum(${SUMMED[name].of}) AS ${name}`).join(', ')}
      FROM settlement WHERE seq >= ? AND seq <= ? GROUP BY 1`,
  )
  for (let from = 1; from <= followed; from += SETTLEMENTS_AT_ONCE) {
    for (const { day, ...sums } of page.all(from, Math.min(from + SETTLEMENTS_AT_ONCE - 1, followed)))
      addTo(settled, day, sums)
    await pause()
  }
  const settledOf = { day: settled, month: byMonth(settled) }
  return ROLL_UPS.flatMap(({ table, of }) => differences(table, stored.get(table) ?? new Map(), settledOf[of])).slice(
    0,
    FAULTS_MAX,
  )
}

type ByDay = ReadonlyMap<bigint, Sums>

/** Of one moment. */
function storedSums(records: Database): { followed: number; stored: ReadonlyMap<string, ByDay> } {
  records.run('BEGIN')
  try {
    const followed = records.prepare<{ seq: bigint }, []>('SELECT settlement_seq AS seq FROM follower').get()?.seq ?? 0n
    const stored = ROLL_UPS.map(({ table }): [string, ByDay] => {
      const columns = SUMMED_NAMES.map((name) => `${SUMMED[name].column} AS ${name}`)
      const byDay = new Map<bigint, Record<Summed, bigint>>()
      // Added up here: a few rows near the largest number would be beyond SQLite's integers.
      for (const { day, ...sums } of records
        .prepare<DaySums, []>(`SELECT day, ${columns.join(', ')} FROM ${table}`)
        .iterate())
        addTo(byDay, day, sums)
      return [table, byDay]
    })
    return { followed: Number(followed), stored: new Map(stored) }
  } finally {
    records.run('ROLLBACK')
  }
}

function addTo(days: Map<bigint, Record<Summed, bigint>>, day: bigint, sums: Sums): void {
  const known = days.get(day)
  if (known === undefined) days.set(day, { ...sums })
  else for (const name of SUMMED_NAMES) known[name] += sums[name]
}

function byMonth(days: ByDay): ByDay {
  const months = new Map<bigint, Record<Summed, bigint>>()
  for (const [day, sums] of days) addTo(months, BigInt(firstOfMonth(Number(day))), sums)
  return months
}

function differences(table: string, stored: ByDay, settled: ByDay): string[] {
  const days = new Set([...stored.keys(), ...settled.keys()])
  return [...days].flatMap((day) =>
    SUMMED_NAMES.flatMap((name) => {
      const [said, is] = [stored.get(day)?.[name] ?? 0n, settled.get(day)?.[name] ?? 0n]
      if (said === is || said >= SUM_MAX) return []
      return [`${table}, day ${day}: ${name} ${said}, its settlements sum to ${is}`]
    }),
  )
}
