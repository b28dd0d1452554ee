import type { Database } from 'bun:sqlite'
import type { Find } from './compare-spend.ts'

interface LotColumns {
  readonly seq: bigint
  readonly remaining: bigint
  readonly sum: bigint
}

const LOTS_AT_ONCE = 1000n

/**
 * Compares promo lots with their postings, and with their accounts' balances: what remains of each is the sum of its postings, and all that
 * remains of an account's is never more than its balance.
 */
export async function compareLots(ledger: Database, find: Find, pause: () => Promise<void>): Promise<void> {
  const page = ledger.prepare<LotColumns, [bigint, bigint]>(
    `SELECT seq, remaining, coalesce((SELECT sum(amount) FROM lot_posting WHERE lot = promo_lot.seq), 0) AS sum
    FROM promo_lot WHERE seq > ? ORDER BY seq LIMIT ?`,
  )
  let after: bigint | undefined = 0n
  while (after !== undefined) {
    const lots: LotColumns[] = page.all(after, LOTS_AT_ONCE)
    const wrong = lots.filter(({ remaining, sum }) => remaining !== sum)
    find(wrong.map(({ seq, remaining, sum }) => `lot ${seq}: ${remaining} remains, its postings sum to ${sum}`))
    after = lots.at(-1)?.seq
    await pause()
  }
  const over = ledger.prepare<{ id: string; balance: bigint; sum: bigint }, []>(
    `SELECT id, balance, sum(remaining) AS sum FROM promo_lot JOIN account ON account.id = account_id
    WHERE remaining > 0 GROUP BY id HAVING sum(remaining) > balance`,
  )
  find(over.all().map(({ id, balance, sum }) => `account ${id}: its balance is ${balance}, its lots have ${sum} left`))
}
