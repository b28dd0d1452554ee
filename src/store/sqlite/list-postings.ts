import type { Database } from 'bun:sqlite'
import type { PostingRow, Postings, PostingsPage, ProofMark } from '../proof-contract.ts'
import { type Journal, sidesOf } from './sides-of.ts'

const COLUMNS: Readonly<Record<Journal, string>> = {
  entry: 'kind, at_ms, account_id, NULL AS key_id, request_id, note',
  settlement: `'settlement' AS kind, ended_at_ms AS at_ms, account_id, key_id, request_id, NULL AS note`,
}

interface JournalColumns {
  readonly seq: number
  readonly kind: string
  readonly at_ms: number
  readonly account_id: string
  readonly key_id: string | null
  readonly request_id: string | null
  readonly note: string | null
  readonly [posting: `posting_${string}`]: number
}

/** One page of all postings, oldest first. Rows that came after the first page was read are left for the next list. */
export function listPostings(ledger: Database, { limit, after }: PostingsPage): Postings {
  const end = after?.end ?? { entrySeq: lastOf(ledger, 'entry'), settlementSeq: lastOf(ledger, 'settlement') }
  const at = after?.at ?? { entrySeq: 0, settlementSeq: 0 }
  const entries = rowsOf(ledger, 'entry', [at.entrySeq, end.entrySeq, limit])
  const left = limit - entries.length
  const settlements = left === 0 ? [] : rowsOf(ledger, 'settlement', [at.settlementSeq, end.settlementSeq, left])
  const reached: ProofMark = {
    entrySeq: entries.at(-1)?.seq ?? at.entrySeq,
    settlementSeq: settlements.at(-1)?.seq ?? at.settlementSeq,
  }
  const isLast = entries.length + settlements.length < limit
  return {
    rows: [...postingsOf(ledger, 'entry', entries), ...postingsOf(ledger, 'settlement', settlements)],
    next: isLast ? null : { at: reached, end },
  }
}

const lastOf = (ledger: Database, journal: Journal): number =>
  ledger.prepare<{ seq: number }, []>(`SELECT coalesce(max(seq), 0) AS seq FROM ${journal}`).get()?.seq ?? 0

function rowsOf(ledger: Database, journal: Journal, [after, last, limit]: [number, number, number]): JournalColumns[] {
  const postings = sidesOf(ledger, journal).map((side) => `posting_${side}`)
  return ledger
    .prepare<JournalColumns, [number, number, number]>(
      `SELECT seq, ${COLUMNS[journal]}, ${postings.join(', ')} FROM ${journal} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
    )
    .all(after, last, limit)
}

function postingsOf(ledger: Database, source: Journal, rows: readonly JournalColumns[]): PostingRow[] {
  const sides = sidesOf(ledger, source)
  return rows.flatMap((row) =>
    sides.flatMap((side) => {
      const nano = row[`posting_${side}`] ?? 0
      if (nano === 0) return []
      const { seq, kind, at_ms: atMs, account_id: accountId, key_id: keyId, request_id: requestId, note } = row
      return [{ source, seq, kind, atMs, side, accountId, keyId, requestId, nano, note }]
    }),
  )
}
