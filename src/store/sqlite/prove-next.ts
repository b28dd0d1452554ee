import type { Database } from 'bun:sqlite'
import type { ProofMark, ProofStep } from '../proof-contract.ts'
import type { Journal } from './sides-of.ts'
import { ROWS_AT_ONCE, type Summing, sumJournal } from './sum-journal.ts'
import { checkHolds } from './verify.ts'

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
    const find = (found: readonly string[]): void => void faults.push(...found)
    const entry = await addUp(ledger, 'entry', from.entry, { sums, find, pause })
    const settlement = entry.isAtEnd
      ? await addUp(ledger, 'settlement', from.settlement, { sums, find, pause })
      : { to: from.settlement, isAtEnd: false }
    if (settlement.isAtEnd && faults.length === 0) {
      await compareBalances(ledger, { sums, find, pause })
      checkHolds(ledger, find)
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

async function addUp(
  ledger: Database,
  journal: Journal,
  after: bigint,
  summing: Summing,
): Promise<{ readonly to: bigint; readonly isAtEnd: boolean }> {
  const last =
    ledger.prepare<{ seq: bigint }, []>(`SELECT coalesce(max(seq), 0) AS seq FROM ${journal}`).get()?.seq ?? 0n
  if (last < after) summing.find([`${journal} ${after}: it was there, and the last one is ${last} now`])
  const to = last - after > ROWS_MAX ? after + ROWS_MAX : last > after ? last : after
  await sumJournal(ledger, journal, { after, to }, summing)
  return { to, isAtEnd: to >= last }
}

async function compareBalances(ledger: Database, { sums, find, pause }: Summing): Promise<void> {
  const page = ledger.prepare<{ id: string; balance: bigint; proven: bigint }, [string, bigint]>(
    `SELECT id, account.balance AS balance, coalesce(proven_balance.balance, 0) AS proven
      FROM account LEFT JOIN proven_balance ON proven_balance.account_id = account.id WHERE id > ? ORDER BY id LIMIT ?`,
  )
  let after: string | undefined = ''
  while (after !== undefined) {
    const rows: { id: string; balance: bigint; proven: bigint }[] = page.all(after, ROWS_AT_ONCE)
    for (const { id, balance, proven } of rows) {
      const sum = proven + (sums.get(id) ?? 0n)
      if (balance !== sum) find([`account ${id}: its balance is ${balance}, its entries sum to ${sum}`])
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
