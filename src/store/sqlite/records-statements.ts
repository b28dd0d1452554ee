import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { SealedContent } from '../records-contract.ts'
import { learnedStatements } from './learned-statements.ts'
import type { RecordValues } from './record-values.ts'
import { rollUpStatements } from './roll-ups.ts'
import { KEY_OF_SETTLEMENT } from './summed.ts'

const DETAILS = [
  'generation_id',
  'client_request_id',
  'account_id',
  'key_id',
  'operation',
  'model_asked',
  'model',
  'backend',
  'stream',
  'status',
  'error_code',
  'started_at_ms',
  'gw_us',
  'stages',
  'upstream_us',
  'post_us',
  'post_hold_us',
  'total_us',
  'ended_us',
  'skips',
  'stickiness',
  'router',
  'finish_reason',
  'client',
]

const MONEY = [
  'ending',
  'reason',
  'units_input',
  'units_cached_input',
  'units_cache_write',
  'units_output',
  'units_reasoning',
  'units_more',
  'usage_source',
  'cost',
  'charged',
  'held',
]

const fromNew = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = excluded.${column}`).join(', ')
const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ')

const SQL = {
  writeDetails: `INSERT INTO request (request_id, ${DETAILS.join(', ')}) VALUES (${marks(DETAILS.length + 1)})
    ON CONFLICT (request_id) DO UPDATE SET ${fromNew(DETAILS)}`,
  writeAttempt: `INSERT OR REPLACE INTO attempt (request_id, number, offer, backend, credential, outcome, reason, status, started_us,
    ended_us, dns_us, connect_us, tls_us, write_us, first_byte_us, connection, connection_age_ms, absorbed, possible_cost, provider_request_id) VALUES (${marks(20)})`,
  // `WHERE true`: without it the parser takes ON CONFLICT for the condition of a join (https://sqlite.org/lang_upsert.html).
  followMoney: `INSERT INTO request (request_id, account_id, key_id, settlement_seq, owner, ${MONEY.join(', ')})
    SELECT request_id, account_id, key_id, seq, ${KEY_OF_SETTLEMENT.owner}, ${MONEY.join(', ')} FROM ledger.settlement WHERE seq > ? AND seq <= ? ORDER BY seq
    ON CONFLICT (request_id) DO UPDATE SET settlement_seq = excluded.settlement_seq, owner = excluded.owner, ${fromNew(MONEY)}`,
  writeContent:
    'INSERT OR REPLACE INTO content (request_id, account_id, prompt, answer, is_cut) VALUES (?, ?, ?, ?, ?)',
  resealContent: 'UPDATE content SET prompt = ?, answer = ? WHERE request_id = ?',
  watermark: 'SELECT settlement_seq FROM follower',
  setWatermark: 'UPDATE follower SET settlement_seq = ?',
}

export type RecordsStatements = ReturnType<typeof recordsStatements>

/** The writes of the records file, prepared once for a connection that has the ledger attached as `ledger`. */
export function recordsStatements(db: Database) {
  const writeDetails = db.prepare<unknown, SQLQueryBindings[]>(SQL.writeDetails)
  const writeAttempt = db.prepare<unknown, SQLQueryBindings[]>(SQL.writeAttempt)
  const followMoney = db.prepare<unknown, [number, number]>(SQL.followMoney)
  const rollUp = rollUpStatements(db)
  const writeContent = db.prepare<unknown, SQLQueryBindings[]>(SQL.writeContent)
  const resealContent = db.prepare<unknown, SQLQueryBindings[]>(SQL.resealContent)
  const watermark = db.prepare<{ settlement_seq: number }, []>(SQL.watermark)
  const setWatermark = db.prepare<unknown, [number]>(SQL.setWatermark)

  return {
    writeRecord([details, attempts]: RecordValues): void {
      writeDetails.run(...details)
      for (const attempt of attempts) writeAttempt.run(...attempt)
    },
    /** Takes over the money of settlements `from` (without it) to `to`. */
    followMoney(from: number, to: number): void {
      followMoney.run(from, to)
    },
    /** Adds settlements `from` (without it) to `to`, at most `SETTLEMENTS_AT_ONCE`, to the sums, and moves the watermark there. */
    sumUp(from: number, to: number): void {
      rollUp(from, to)
      setWatermark.run(to)
    },
    writeLearned: learnedStatements(db),
    writeContent({ requestId, accountId, prompt, answer, isCut }: SealedContent): void {
      writeContent.run(requestId, accountId, prompt, answer, isCut)
    },
    resealContent({ requestId, prompt, answer }: SealedContent): void {
      resealContent.run(prompt, answer, requestId)
    },
    watermark: (): number => watermark.get()?.settlement_seq ?? 0,
  }
}
