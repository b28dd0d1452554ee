import type { Database } from 'bun:sqlite'
import { errorText } from '../../lib/index.ts'
import type { VerifyReport } from '../proof-contract.ts'
import { compareLots } from './compare-lots.ts'
import { compareSpend, type Find } from './compare-spend.ts'
import type { Journal } from './sides-of.ts'
import { ROWS_AT_ONCE, type Summing, sumJournal } from './sum-journal.ts'

export interface VerifySources {
  readonly ledger: Database
  /** How far the records have followed; called before the ledger is read. */
  readonly recordsWatermark: () => bigint
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

const FAULTS_MAX = 100

/**
 * Proves the ledger from one snapshot of its file, on a connection of its own that reads integers as BigInt: every entry sums to zero,
 * every balance is the sum of its account's entries, what each key
 * spent is the sum of its settlements, each request is settled once and has no hold left, no hold of a dead epoch is
 * open, and the records are not ahead of the settlements they follow.
 */
export async function verifyLedger(sources: VerifySources): Promise<VerifyReport> {
  const { ledger, pause } = sources
  const faults: string[] = []
  const find = (found: readonly string[]): void => {
    for (const fault of found) if (faults.length < FAULTS_MAX) faults.push(fault)
  }
  const watermark = readWatermark(sources, find)
  ledger.run('BEGIN')
  try {
    const sums = new Map<string, bigint>()
    const entries = await sumAll(ledger, 'entry', { sums, find, pause })
    const settlements = await sumAll(ledger, 'settlement', { sums, find, pause })
    const { accounts, balanceSum } = compareBalances(ledger, sums, find)
    await compareSpend(ledger, find, pause)
    await compareLots(ledger, find, pause)
    await findSettledTwice(ledger, find, pause)
    const openHolds = checkHolds(ledger, find)
    const last =
      ledger.prepare<{ seq: bigint }, []>('SELECT coalesce(max(seq), 0) AS seq FROM settlement').get()?.seq ?? 0n
    if (watermark > last) find([`the records have followed to settlement ${watermark}, but the last one is ${last}`])
    return { clean: faults.length === 0, faults, accounts, entries, settlements, openHolds, balanceSum }
  } finally {
    ledger.run('ROLLBACK')
  }
}

function readWatermark({ recordsWatermark }: VerifySources, find: Find): bigint {
  try {
    return recordsWatermark()
  } catch (error) {
    find([`the records cannot be read: ${errorText(error)}`])
    return 0n
  }
}

/** Adds up all rows of a journal. Answers how many there are. */
async function sumAll(ledger: Database, journal: Journal, summing: Summing): Promise<number> {
  const { first, last } = ledger
    .prepare<{ first: bigint | null; last: bigint | null }, []>(
      `SELECT min(seq) AS first, max(seq) AS last FROM ${journal}`,
    )
    .get() ?? { first: null, last: null }
  if (first === null || last === null) return 0
  return Number(await sumJournal(ledger, journal, { after: first - 1n, to: last }, summing))
}

function compareBalances(ledger: Database, sums: Map<string, bigint>, find: Find) {
  let accounts = 0
  let total = 0n
  const missing = new Map(sums)
  for (const { id, balance } of ledger
    .prepare<{ id: string; balance: bigint }, []>('SELECT id, balance FROM account')
    .iterate()) {
    const sum = sums.get(id) ?? 0n
    missing.delete(id)
    accounts++
    total += balance
    if (balance !== sum) find([`account ${id}: its balance is ${balance}, its entries sum to ${sum}`])
  }
  find([...missing.keys()].map((id) => `account ${id}: it has entries, but does not exist`))
  return { accounts, balanceSum: total.toString() }
}

async function findSettledTwice(ledger: Database, find: Find, pause: () => Promise<void>): Promise<void> {
  const page = ledger.prepare<{ request_id: string; times: bigint }, [string, bigint]>(
    `SELECT request_id, count(*) AS times FROM settlement WHERE request_id > ? GROUP BY request_id ORDER BY request_id LIMIT ?`,
  )
  let after: string | undefined = ''
  while (after !== undefined) {
    const rows: { request_id: string; times: bigint }[] = page.all(after, ROWS_AT_ONCE)
    const twice = rows.filter(({ times }) => times > 1n)
    find(twice.map(({ request_id, times }) => `request ${request_id}: it is settled ${times} times`))
    after = rows.at(-1)?.request_id
    await pause()
  }
}

/** Finds holds that must not be open; answers how many are. */
export function checkHolds(ledger: Database, find: Find): number {
  const list = (sql: string): string[] =>
    ledger
      .prepare<{ id: string }, []>(sql)
      .all()
      .map(({ id }) => id)
  const dead = list('SELECT request_id AS id FROM hold WHERE epoch <> (SELECT max(number) FROM epoch)')
  find(dead.map((id) => `hold ${id}: its process is gone, and it is open`))
  const settled = list('SELECT hold.request_id AS id FROM hold JOIN settlement USING (request_id)')
  find(settled.map((id) => `hold ${id}: its request is settled, and it is open`))
  return Number(ledger.prepare<{ count: bigint }, []>('SELECT count(*) AS count FROM hold').get()?.count ?? 0n)
}
