import type { Database } from 'bun:sqlite'
import type { ObservedSlice, StickyRow } from '../../domain/index.ts'
import type { Learned } from '../learned-contract.ts'

const SQL = {
  putSlice: `INSERT OR REPLACE INTO observed (offer, length_ms, starts_at_ms, ended, failed, first_content, throughput, expires_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  putSession: `INSERT OR REPLACE INTO sticky (account_id, session, model, backend, cached_tokens, used_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  forget: 'DELETE FROM observed WHERE offer = ?',
  dropSlices: 'DELETE FROM observed WHERE expires_at_ms <= ?',
  dropSessions: 'DELETE FROM sticky WHERE used_at_ms <= ?',
  slices: `SELECT offer, length_ms AS lengthMs, starts_at_ms AS startsAtMs, ended, failed, first_content AS firstContent, throughput,
    expires_at_ms AS expiresAtMs FROM observed WHERE expires_at_ms > ?`,
  sessions: `SELECT account_id AS accountId, session, model, backend, cached_tokens AS cachedTokens, used_at_ms AS usedAtMs
    FROM sticky WHERE used_at_ms > ? ORDER BY used_at_ms DESC LIMIT ?`,
}

/** Writes what was learned: on a connection of the records file. */
export function learnedStatements(db: Database): (learned: Learned) => void {
  const putSlice = db.prepare<unknown, [string, number, number, number, number, string, string, number]>(SQL.putSlice)
  const putSession = db.prepare<unknown, [string, string, string, string, number, number]>(SQL.putSession)
  const forget = db.prepare<unknown, [string]>(SQL.forget)
  const dropSlices = db.prepare<unknown, [number]>(SQL.dropSlices)
  const dropSessions = db.prepare<unknown, [number]>(SQL.dropSessions)
  return ({ forgotten, observed, sticky, expired }) => {
    for (const offer of forgotten) forget.run(offer)
    for (const { offer, lengthMs, startsAtMs, ended, failed, firstContent, throughput, expiresAtMs } of observed)
      putSlice.run(offer, lengthMs, startsAtMs, ended, failed, firstContent, throughput, expiresAtMs)
    for (const { accountId, session, model, backend, cachedTokens, usedAtMs } of sticky)
      putSession.run(accountId, session, model, backend, cachedTokens, usedAtMs)
    if (expired === null) return
    dropSlices.run(expired.observedMs)
    dropSessions.run(expired.stickyMs)
  }
}

/** Reads what was learned. */
export const learnedQueries = (db: Database) => ({
  observed: (nowMs: number): ObservedSlice[] => db.prepare<ObservedSlice, [number]>(SQL.slices).all(nowMs),
  sticky: (sinceMs: number, rowsMax: number): StickyRow[] =>
    db.prepare<StickyRow, [number, number]>(SQL.sessions).all(sinceMs, rowsMax).reverse(),
})
