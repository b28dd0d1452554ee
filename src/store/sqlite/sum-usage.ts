import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { DAY_MS } from '../../lib/index.ts'
import type { UsageAnswer, UsageKey, UsageQuery } from '../backends-contract.ts'
import { addAbsorbed } from './absorbed.ts'
import { keyColumn, type RollUp, rollUpsWith } from './roll-ups.ts'
import { type FoundKeys, selectSql, whose, whoseSql } from './select-sql.ts'
import { isSumOverflow } from './sqlite-error.ts'
import { KEY_OF_SETTLEMENT, SETTLEMENTS_AT_ONCE, SUM_MAX, SUMMED, SUMMED_NAMES } from './summed.ts'
import { UsageGroups, type UsageSums } from './usage-groups.ts'
import { type Days, type WholeDays, wholeDays } from './whole-days.ts'

/** Both connections read integers as BigInt. */
export interface UsageSources {
  readonly ledger: Database
  /** Null when it cannot be read: then settlements alone tell. */
  readonly records: Database | null
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

/** A month of days, or a year of months. */
const DAYS_AT_ONCE: Readonly<Record<RollUp['of'], number>> = { day: 31, month: 366 }

type Row = UsageSums & FoundKeys & { readonly largest: bigint }
type Further = FoundKeys & { readonly kind: string; readonly units: bigint }

/**
 * Sums what was used by keys, exact whatever it comes to: whole days that the records have followed from their roll-ups, all other settlements
 * (parts of days, what was not followed yet) from the ledger, page by page. Sorted by the keys in their order, null last.
 */
export async function sumUsage(sources: UsageSources, query: UsageQuery): Promise<UsageAnswer> {
  // The records first: the ledger has all that they have followed by then.
  const told = sources.records === null ? null : await rolledUp(sources.records, sources, query)
  const sums = told?.sums ?? new UsageGroups(query.by)
  if (query.withAbsorbed && sources.records !== null) await addAbsorbed(sources.records, query, sums, sources.pause)
  sources.ledger.run('BEGIN')
  try {
    for (const piece of piecesOf(sources.ledger, query, told)) await addSettlements(sources, query, piece, sums)
    return sums.answer(sources.ledger)
  } finally {
    sources.ledger.run('ROLLBACK')
  }
}

interface RolledUp {
  /** The last settlement that they know. */
  readonly followed: number
  /** Those that they tell of. */
  readonly days: Days
  readonly sums: UsageGroups
}

/** What the roll-ups of whole days come to, as of one moment; null when one of their sums is not exact. */
async function rolledUp(
  records: Database,
  { ledger, pause }: UsageSources,
  query: UsageQuery,
): Promise<RolledUp | null> {
  const sums = new UsageGroups(query.by)
  records.run('BEGIN')
  try {
    const watermark = records.prepare<{ seq: bigint }, []>('SELECT settlement_seq AS seq FROM follower').get()
    const followed = Number(watermark?.seq ?? 0)
    const days = wholeDays(ledger, query, followed)
    for (const part of partsOf(query, days)) {
      if (!(await addRollUp(records, query, part, sums, pause))) return null
    }
    return { followed, days, sums }
  } catch (error) {
    if (isSumOverflow(error)) return null
    throw error
  } finally {
    records.run('ROLLBACK')
  }
}

/** Whole days, and the roll-up that tells of them. */
interface Part extends Days {
  readonly rollUp: RollUp
}

/** Months as far as they are whole and told by a table of their own, and the days before and after them. */
function partsOf({ by, accountId, keyId }: UsageQuery, { first, last, months }: WholeDays): Part[] {
  const ofWhom: readonly UsageKey[] = [
    ...(accountId === null ? [] : ['account' as const]),
    ...(keyId === null ? [] : ['key' as const]),
  ]
  const rollUps = rollUpsWith([...by, ...ofWhom])
  if (rollUps.months === null || months === null) return [{ rollUp: rollUps.days, first, last }]
  return [
    { rollUp: rollUps.days, first, last: months.first },
    { rollUp: rollUps.months, ...months },
    { rollUp: rollUps.days, first: months.last, last },
  ]
}

/** Answers whether its sums are exact. */
async function addRollUp(
  records: Database,
  query: UsageQuery,
  { rollUp, first, last }: Part,
  sums: UsageGroups,
  pause: UsageSources['pause'],
): Promise<boolean> {
  const rows = records.prepare<Row, SQLQueryBindings[]>(rollUpSql(rollUp, query))
  const further = records.prepare<Further, SQLQueryBindings[]>(furtherRollUpSql(rollUp, query))
  const step = DAYS_AT_ONCE[rollUp.of]
  for (let day = first; day < last && !sums.isFull; day += step) {
    const which = [day, Math.min(day + step, last), ...whose(query)]
    for (const row of rows.all(...which)) {
      if (row.largest >= SUM_MAX) return false
      sums.add(row, row)
    }
    for (const row of further.all(...which)) sums.addFurther(row, row.kind, row.units)
    await pause()
  }
  return true
}

function rollUpSql({ table }: RollUp, query: UsageQuery): string {
  const sums = SUMMED_NAMES.map((name) => `sum(${SUMMED[name].column}) AS ${name}`)
  // Of amounts this is the largest: charged and overrun are its parts.
  const largest = 'max(max(cost), max(expense)) AS largest'
  return selectSql(table, rollUpKeys(query.by), [...sums, largest], ['day >= ?', 'day < ?', ...whoseSql(query)])
}

function furtherRollUpSql({ further }: RollUp, query: UsageQuery): string {
  const where = ['day >= ?', 'day < ?', ...whoseSql(query)]
  return selectSql(further, [...rollUpKeys(query.by), 'kind'], ['sum(units) AS units'], where)
}

const rollUpKeys = (by: UsageQuery['by']): string[] => by.map((key) => `nullif(${keyColumn(key)}, '') AS by_${key}`)

/** Settlements that no roll-up told of. */
interface Piece {
  readonly first: number
  readonly last: number
  readonly sinceMs: number
  readonly untilMs: number
}

function piecesOf(ledger: Database, { sinceMs, untilMs }: UsageQuery, told: RolledUp | null): Piece[] {
  if (told === null || told.followed === 0) return pieceOf(ledger, sinceMs, untilMs, Number.MAX_SAFE_INTEGER)
  const { followed, days } = told
  const { first, last } = days
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
