import type { PostingRow, ProofReads, SettlementView } from '../../src/store/index.ts'
import type { Tables } from './store-double-tables.ts'

const NOWHERE = { entrySeq: 0, settlementSeq: 0 }

/** The part of a reader double that lists; what is proven and copied is the files' own matter. */
export function proofReads(tables: Tables): Omit<ProofReads, 'verify'> {
  return {
    proveNext: async () => ({ from: NOWHERE, to: NOWHERE, sums: [], faults: [], isAtEnd: true }),
    postings: async () => ({
      rows: [...entriesOf(tables), ...[...tables.settlements.values()].flatMap(sidesOf)],
      next: null,
    }),
    backup: () => Promise.reject(new Error('a store double has no files')),
  }
}

function entriesOf({ entries }: Tables): PostingRow[] {
  return entries.flatMap(({ seq, kind, atMs, accountId, amount, note }) => {
    const row = { source: 'entry', seq, kind, atMs, accountId, keyId: null, requestId: null, note } as const
    return [
      { ...row, side: 'account', nano: amount },
      { ...row, side: 'funding', nano: -amount },
    ]
  })
}

function sidesOf({ seq, endedAtMs, accountId, keyId, requestId, ...row }: SettlementView): PostingRow[] {
  const common = {
    source: 'settlement',
    kind: 'settlement',
    seq,
    atMs: endedAtMs,
    accountId,
    keyId,
    requestId,
  } as const
  const sides: [string, number][] = [
    ['account', -row.charged],
    ['overrun_loss', -row.overrun],
    ['revenue', row.cost],
    ['provider_expense', -row.expense],
    ['provider_payable', row.expense],
  ]
  return sides.flatMap(([side, nano]) => (nano === 0 ? [] : [{ ...common, side, nano, note: null }]))
}
