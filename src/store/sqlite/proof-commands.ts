import type { ProofStep } from '../proof-contract.ts'
import { done, type Runners } from './command-end.ts'

/** The command of `ProofWrites`, as it crosses to the writer thread. */
export interface ProofCommand {
  readonly kind: 'proven'
  readonly step: Pick<ProofStep, 'from' | 'to' | 'sums'>
  readonly atMs: number
}

export interface ProofAnswers {
  readonly proven: boolean
}

const SQL = {
  advance: `UPDATE proof SET entry_seq = ?, settlement_seq = ?, at_ms = ? WHERE entry_seq = ? AND settlement_seq = ?`,
  add: `INSERT INTO proven_balance (account_id, balance) VALUES (?, ?)
    ON CONFLICT (account_id) DO UPDATE SET balance = balance + excluded.balance`,
}

export const PROOF_RUNNERS: Runners<ProofCommand, ProofAnswers> = {
  /** Moves the mark on, unless it has moved since the step was read. */
  proven(db, { step: { from, to, sums }, atMs }) {
    const { changes } = db
      .prepare<unknown, [number, number, number, number, number]>(SQL.advance)
      .run(to.entrySeq, to.settlementSeq, atMs, from.entrySeq, from.settlementSeq)
    if (changes === 0) return done(false)
    const add = db.prepare<unknown, [string, bigint]>(SQL.add)
    for (const [accountId, nano] of sums) add.run(accountId, BigInt(nano))
    return done(true)
  },
}
