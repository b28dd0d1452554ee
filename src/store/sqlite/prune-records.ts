import type { Database } from 'bun:sqlite'
import type { RecordBounds } from '../records-contract.ts'
import { firstIdAt, LAST_ID } from './first-id-at.ts'
import { usedBytes } from './used-bytes.ts'

const ROWS_AT_ONCE = 200 // some milliseconds of the writer thread

const SQL = {
  // Attempts go with their request.
  oldRequests: `DELETE FROM request WHERE request_id IN (SELECT request_id FROM request WHERE request_id < ? ORDER BY request_id LIMIT ${ROWS_AT_ONCE})`,
  oldContent: `DELETE FROM content WHERE request_id IN (SELECT request_id FROM content WHERE request_id < ? ORDER BY request_id LIMIT ${ROWS_AT_ONCE})`,
  oldest: `SELECT max(request_id) AS id FROM (SELECT request_id FROM request ORDER BY request_id LIMIT ${ROWS_AT_ONCE})`,
}

/** One step of pruning inside the caller's transaction: answers whether more is left. What is freed is used again; the file does not shrink. */
export function pruneRecords(db: Database, { beforeMs, contentBeforeMs, bytesMax }: RecordBounds): boolean {
  const remove = (sql: string, before: string): number => db.prepare<unknown, [string]>(sql).run(before).changes
  const requests = remove(SQL.oldRequests, firstIdAt(beforeMs))
  const contents = remove(SQL.oldContent, firstIdAt(Math.max(beforeMs, contentBeforeMs)))
  if (Math.max(requests, contents) >= ROWS_AT_ONCE) return true
  if (usedBytes(db) <= bytesMax) return false
  const oldest = db.prepare<{ id: string | null }, []>(SQL.oldest).get()?.id ?? null
  if (oldest === null) return remove(SQL.oldContent, LAST_ID) > 0
  remove(SQL.oldContent, after(oldest))
  return remove(SQL.oldRequests, after(oldest)) > 0
}

const after = (id: string): string => `${id}\u0000`
