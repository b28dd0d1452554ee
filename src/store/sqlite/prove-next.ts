import type { Database } from 'bun:sqlite'
import type { ProofMark, ProofStep } from '../proof-contract.ts'
import { type Journal, sidesOf, sumOfSides } from './sides-of.ts'
import { checkHolds } from './verify.ts'

const ROWS_AT_ONCE = 1000n // no sum of so many amounts (2^53) leaves SQLite's integers (2^63)
const ROWS_MAX = 20_000n // of a step
const FAULTS_MAX = 100

interface Mark {
  readonly entry: bigint
  readonly settlement: bigint
}

/**
 * Adds up what follows the last proven row, from one snapshot, on a connection of its own that reads integers as BigInt. At the end, each
 * account's balance must be what was proven before and what followed, and no hold may be open that must not be.
 */
export async function proveNext(ledger: Database, pause: () => Promise<void>): Promise<ProofStep> {
  ledger.run('BEGIN')
  try {
    const from = provenMark(ledger)
    const sums = new Map<string, bigint>()
    const faults: string[] = []
    const entry = await addUp(ledger, 'entry', from.entry, { sums, faults, pause })
    const isEntries = entry.isAtEnd
    const settlement = isEntries
      ? await addUp(ledger, 'settlement', from.settlement, { sums, faults, pause })
      : { to: from.settlement, isAtEnd: false }
    if (settlement.isAtEnd && faults.length === 0) {
      await compareBalances(ledger, sums, { faults, pause })
      checkHolds(ledger, (found) => faults.push(...found))
    }
    return {
      from: plain(from),
      to: plain({ entry: entry.to, settlement: settlement.to }),
      sums: [...sums].map(([accountId, sum]) => [accountId, sum.toString()] as const),
      faults: faults.slice(0, FAULTS_MAX),
      isAtEnd: settlement.isAtEnd,
    }
  } finally {
    ledger.run('ROLLBACK')
  }
}

interface Adding {
  readonly sums: Map<string, bigint>
  readonly faults: string[]
  readonly pause: () => Promise<void>
}

async function addUp(
  ledger: Database,
  journal: Journal,
  after: bigint,
  { sums, faults, pause }: Adding,
): Promise<{ readonly to: bigint; readonly isAtEnd: boolean }> {
  const last =
    ledger.prepare<{ seq: bigint }, []>(`SELECT coalesce(max(seq), 0) AS seq FROM ${journal}`).get()?.seq ?? 0n
  if (last < after) faults.push(`${journal} ${after}: it was there, and the last one is ${last} now`)
  const to = last - after > ROWS_MAX ? after + ROWS_MAX : last > after ? last : after
  const page = ledger.prepare<{ account_id: string; sum: bigint }, [bigint, bigint]>(
    `SELECT account_id, sum(posting_account) AS sum FROM ${journal} WHERE seq > ? AND seq <= ? GROUP BY account_id`,
  )
  const unbalanced = ledger.prepare<{ seq: bigint }, [bigint, bigint]>(
    `SELECT seq FROM ${journal} WHERE seq > ? AND seq <= ? AND ${sumOfSides(sidesOf(ledger, journal))} <> 0`,
  )
  for (let from = after; from < to; from += ROWS_AT_ONCE) {
    const until = from + ROWS_AT_ONCE < to ? from + ROWS_AT_ONCE : to
    for (const { account_id, sum } of page.all(from, until)) sums.set(account_id, (sums.get(account_id) ?? 0n) + sum)
    for (const { seq } of unbalanced.all(from, until)) faults.push(`${journal} ${seq}: its postings do not sum to zero`)
    await pause()
  }
  return { to, isAtEnd: to >= last }
}

async function compareBalances(
  ledger: Database,
  sums: ReadonlyMap<string, bigint>,
  { faults, pause }: Pick<Adding, 'faults' | 'pause'>,
): Promise<void> {
  const page = ledger.prepare<{ id: string; balance: bigint; proven: bigint }, [string, bigint]>(
    `SELECT id, account.balance AS balance, coalesce(proven_balance.balance, 0) AS proven
      FROM account LEFT JOIN proven_balance ON proven_balance.account_id = account.id WHERE id > ? ORDER BY id LIMIT ?`,
  )
  let after: string | undefined = ''
  while (after !== undefined) {
    const rows: { id: string; balance: bigint; proven: bigint }[] = page.all(after, ROWS_AT_ONCE)
    for (const { id, balance, proven } of rows) {
      const sum = proven + (sums.get(id) ?? 0n)
      if (balance !== sum) faults.push(`account ${id}: its balance is ${balance}, its entries sum to ${sum}`)
    }
    after = rows.at(-1)?.id
    await pause()
  }
}

function provenMark(ledger: Database): Mark {
  const row = ledger
    .prepare<{ entry_seq: bigint; settlement_seq: bigint }, []>('SELECT entry_seq, settlement_seq FROM proof')
    .get()
  return { entry: row?.entry_seq ?? 0n, settlement: row?.settlement_seq ?? 0n }
}

const plain = ({ entry, settlement }: Mark): ProofMark => ({
  entrySeq: Number(entry),
  settlementSeq: Number(settlement),
})
