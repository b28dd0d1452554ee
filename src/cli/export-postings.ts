import { z } from 'zod'
import type { Client } from './client.ts'
import { csv } from './csv.ts'
import { pagesOf } from './list-all.ts'

const posting = z.object({
  source: z.string(),
  seq: z.number(),
  kind: z.string(),
  at_ms: z.number(),
  side: z.string(),
  account_id: z.string(),
  key_id: z.string().nullable(),
  request_id: z.string().nullable(),
  amount_nano: z.number(),
  amount_usd: z.string(),
  note: z.string().nullable(),
})

const HEAD = ['entry', 'kind', 'time', 'side', 'account', 'key', 'request', 'amount_nano', 'amount_usd', 'note']

/** Writes every posting as a line of CSV, oldest first; `amount_nano` sums to zero over each entry, and over all. Answers how many there were. */
export async function exportPostings(admin: Client, write: (text: string) => void): Promise<number> {
  let count = 0
  write(csv([HEAD]))
  for await (const page of pagesOf(admin, '/ledger/postings')) {
    const rows = z.array(posting).parse(page)
    write(csv(rows.map(cellsOf)))
    count += rows.length
  }
  return count
}

const cellsOf = (row: z.infer<typeof posting>): string[] => [
  `${row.source} ${row.seq}`,
  row.kind,
  new Date(row.at_ms).toISOString(),
  row.side,
  row.account_id,
  row.key_id ?? '',
  row.request_id ?? '',
  String(row.amount_nano),
  row.amount_usd,
  row.note ?? '',
]
