import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { breathe } from '../../support/wire.ts'
import { kill, storeChild } from './process-kit.ts'
import { storeKit, tempFolder } from './store-kit.ts'

const SUMS = 'SELECT coalesce(sum(charged), 0) AS charged, coalesce(sum(expense), 0) AS expense'

/** What both files say, of everything. */
function sumsOf(folder: string) {
  const ledger = new Database(join(folder, 'ledger.db'), { readonly: true })
  const records = new Database(join(folder, 'records.db'), { readonly: true })
  try {
    const [all] = ledger.query(`${SUMS}, count(*) AS requests, max(seq) AS seq FROM settlement`).all()
    const rolled = ['usage_by_key', 'usage_by_payer', 'usage_by_offer', 'usage_by_month'].map((table) => {
      const [sums] = records.query(`${SUMS}, sum(requests) AS requests FROM ${table}`).all()
      return { ...Object(sums), ...Object(records.query('SELECT settlement_seq AS seq FROM follower').get()) }
    })
    return { all, rolled }
  } finally {
    ledger.close()
    records.close()
  }
}

test('killed while they follow, the sums are those of the settlements after each start', async () => {
  const dataFolder = tempFolder()
  try {
    let before = 0
    for (const what of ['settle_on', 'settle_more', 'settle_more']) {
      const { child, line } = await storeChild(dataFolder, what)
      expect(line).toBe('ready')
      await hasSettled(dataFolder, before + 1000)
      await kill(child)
      const kit = await storeKit({ dataFolder }) // as every start: it follows what was missed
      await kit.store.close()
      const { all, rolled } = sumsOf(dataFolder)
      before = Object(all).requests
      expect(before).toBeGreaterThanOrEqual(1000)
      expect(rolled).toEqual([all, all, all, all])
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}, 60_000)

/** Waits until the process has settled so many. */
async function hasSettled(folder: string, count: number): Promise<void> {
  const ledger = new Database(join(folder, 'ledger.db'), { readonly: true })
  try {
    const settled = () => ledger.query<{ n: number }, []>('SELECT count(*) AS n FROM settlement').get()?.n ?? 0
    while (settled() < count) await breathe()
  } finally {
    ledger.close()
  }
}
