import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { UsageAnswer, UsageKey, UsageQuery } from '../backends-contract.ts'
import { addAbsorbed } from './absorbed.ts'
import { keyColumn, rollUpWith } from './roll-ups.ts'
import { type FoundKeys, selectSql, whose, whoseSql } from './select-sql.ts'
import { KEY_OF_SETTLEMENT, SETTLEMENTS_AT_ONCE, SUM_MAX, SUMMED, SUMMED_NAMES } from './summed.ts'
import { UsageGroups, type UsageSums } from './usage-groups.ts'

/** Both connections read integers as BigInt. */
export interface UsageSources {
  readonly ledger: Database
  /** Null when it cannot be read: then settlements alone tell. */
  readonly records: Database | null
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

const DAY_MS = 86_400_000
const DAYS_AT_ONCE = 31

type Row = UsageSums & FoundKeys & { readonly largest: bigint }
type Further = FoundKeys & { readonly kind: string; readonly units: bigint }

/**
 * Sums what was used by keys, exact whatever it comes to: whole days that the records have followed from their roll-ups, all other settlements
 * (parts of days, what was not followed yet) from the ledger, page by page. Sorted by the keys in their order, null last.
 */
export async function sumUsage(sources: UsageSources, query: UsageQuery): Promise<UsageAnswer> {
  const sums = new UsageGroups(query.by)
  // The records first: the ledger has all that they have followed by then.
  const followed = sources.records === null ? 0 : await addRollUps(sources.records, sources, query, sums)
  if (followed === 'uncounted') return sumUsage({ ...sources, records: null }, query)
  if (query.withAbsorbed && sources.records !== null) addAbsorbed(sources.records, query, sums)
  sources.ledger.run('BEGIN')
  try {
    for (const piece of piecesOf(sources.ledger, query, followed)) await addSettlements(sources, query, piece, sums)
    return sums.answer(sources.ledger)
  } finally {
    sources.ledger.run('ROLLBACK')
  }
}

/** Adds the roll-ups of whole days. Answers up to which settlement they go; `uncounted` when one of them holds no exact sum. */
async function addRollUps(
  records: Database,
  { ledger, pause }: UsageSources,
  query: UsageQuery,
  sums: UsageGroups,
): Promise<number | 'uncounted'> {
  records.run('BEGIN')
  try {
    const watermark = records.prepare<{ seq: bigint }, []>('SELECT settlement_seq AS seq FROM follower').get()
    const followed = Number(watermark?.seq ?? 0)
    const { first, last } = wholeDays(ledger, query, followed)
    const rows = records.prepare<Row, SQLQueryBindings[]>(rollUpSql(query))
    const further = records.prepare<Further, SQLQueryBindings[]>(furtherRollUpSql(query))
    for (let day = first; day < last && !sums.isFull; day += DAYS_AT_ONCE) {
      const which = [day, Math.min(day + DAYS_AT_ONCE, last), ...whose(query)]
      for (const row of rows.all(...which)) {
        if (row.largest >= SUM_MAX) return 'uncounted'
        sums.add(row, row)
      }
      for (const row of further.all(...which)) sums.addFurther(row, row.kind, row.units)
      await pause()
    }
    return followed
  } finally {
    records.run('ROLLBACK')
  }
}

/** Days are whole when nothing of them that was followed lies outside of the time: today is, up to now. */
function wholeDays(ledger: Database, { sinceMs, untilMs }: UsageQuery, followed: number) {
  const some = ledger.prepare<unknown, [number, number, number]>(
    'SELECT 1 FROM settlement INDEXED BY settlement_by_end WHERE ended_at_ms >= ? AND ended_at_ms < ? AND seq <= ? LIMIT 1',
  )
  const dayBefore = Math.floor(sinceMs / DAY_MS)
  const isFirstWhole = some.get(dayBefore * DAY_MS, sinceMs, followed) === null
  const dayAfter = Math.ceil(untilMs / DAY_MS)
  const isLastWhole = some.get(untilMs, dayAfter * DAY_MS, followed) === null
  const ends = ledger.prepare<{ first: bigint | null; last: bigint | null }, []>(
    'SELECT (SELECT min(ended_at_ms) FROM settlement) AS first, (SELECT max(ended_at_ms) FROM settlement) AS last',
  )
  const { first, last } = ends.get() ?? { first: null, last: null }
  // Whoever asks from the beginning to the end of time is not made to wait for days without settlements.
  return {
    first: Math.max(isFirstWhole ? dayBefore : dayBefore + 1, Math.floor(Number(first ?? 0n) / DAY_MS)),
    last: Math.min(isLastWhole ? dayAfter : dayAfter - 1, Math.floor(Number(last ?? 0n) / DAY_MS) + 1),
  }
}

function rollUpSql(query: UsageQuery): string {
  const { by, accountId, keyId } = query
  const ofWhom: readonly UsageKey[] = [
    ...(accountId === null ? [] : ['account' as const]),
    ...(keyId === null ? [] : ['key' as const]),
  ]
  const sums = SUMMED_NAMES.map((name) => `sum(${SUMMED[name].column}) AS ${name}`)
  // Of amounts this is the largest: charged and overrun are its parts.
  const largest = 'max(max(cost), max(expense)) AS largest'
  const where = ['day >= ?', 'day < ?', ...whoseSql(query)]
  return selectSql(rollUpWith([...by, ...ofWhom]), rollUpKeys(by), [...sums, largest], where)
}

function furtherRollUpSql(query: UsageQuery): string {
  const where = ['day >= ?', 'day < ?', ...whoseSql(query)]
  return selectSql('usage_further', [...rollUpKeys(query.by), 'kind'], ['sum(units) AS units'], where)
}

const rollUpKeys = (by: UsageQuery['by']): string[] => by.map((key) => `nullif(${keyColumn(key)}, '') AS by_${key}`)

/** Settlements that no roll-up told of. */
interface Piece {
  readonly first: number
  readonly last: number
  readonly sinceMs: number
  readonly untilMs: number
}

function piecesOf(ledger: Database, query: UsageQuery, followed: number): Piece[] {
  const { sinceMs, untilMs } = query
  if (followed === 0) return pieceOf(ledger, sinceMs, untilMs, Number.MAX_SAFE_INTEGER)
  const { first, last } = wholeDays(ledger, query, followed)
  const newest = ledger.prepare<{ seq: bigint | null }, []>('SELECT max(seq) AS seq FROM settlement').get()?.seq ?? 0n
  const unfollowed = { first: followed + 1, last: Number(newest), sinceMs, untilMs }
  if (first >= last) return [...pieceOf(ledger, sinceMs, untilMs, followed), unfollowed]
  return [
    ...pieceOf(ledger, sinceMs, first * DAY_MS, followed),
    ...pieceOf(ledger, last * DAY_MS, untilMs, followed),
    unfollowed,
  ]
}

/** Settlements end in about the order of their numbers, so that those between the first and the last are nearly all of that time. */
function pieceOf(ledger: Database, sinceMs: number, untilMs: number, lastSeq: number): Piece[] {
  if (sinceMs >= untilMs) return []
  const range = ledger.prepare<{ first: bigint | null; last: bigint | null }, [number, number, number]>(
    'SELECT min(seq) AS first, max(seq) AS last FROM settlement WHERE ended_at_ms >= ? AND ended_at_ms < ? AND seq <= ?',
  )
  const { first, last } = range.get(sinceMs, untilMs, lastSeq) ?? { first: null, last: null }
  return first === null || last === null ? [] : [{ first: Number(first), last: Number(last), sinceMs, untilMs }]
}

async function addSettlements(
  { ledger, pause }: UsageSources,
  query: UsageQuery,
  { first, last, sinceMs, untilMs }: Piece,
  sums: UsageGroups,
): Promise<void> {
  const page = ledger.prepare<Row, SQLQueryBindings[]>(settlementsSql(query))
  const further = ledger.prepare<Further, SQLQueryBindings[]>(furtherSql(query))
  for (let from = first; from <= last && !sums.isFull; from += SETTLEMENTS_AT_ONCE) {
    const to = Math.min(from + SETTLEMENTS_AT_ONCE - 1, last)
    const which = [from, to, sinceMs, untilMs, ...whose(query)]
    for (const row of page.all(...which)) sums.add(row, row)
    for (const row of further.all(...which)) sums.addFurther(row, row.kind, row.units)
    await pause()
  }
}

// `NOT INDEXED` leaves the primary key: a page is a range of it.
function settlementsSql(query: UsageQuery): string {
  const sums = SUMMED_NAMES.map((name) => `sum(${SUMMED[name].of}) AS ${name}`)
  return selectSql('settlement NOT INDEXED', settlementKeys(query), sums, settlementsWhere(query))
}

function furtherSql(query: UsageQuery): string {
  const keys = [...settlementKeys(query), 'further.key AS kind']
  const from = 'settlement NOT INDEXED, json_each(units_more) AS further'
  return selectSql(from, keys, ['sum(further.value) AS units'], settlementsWhere(query))
}

const settlementKeys = ({ by }: UsageQuery): string[] => by.map((key) => `${KEY_OF_SETTLEMENT[key]} AS by_${key}`)
const settlementsWhere = (query: UsageQuery): string[] => [
  'seq >= ?',
  'seq <= ?',
  'ended_at_ms >= ?',
  'ended_at_ms < ?',
  ...whoseSql(query),
]
