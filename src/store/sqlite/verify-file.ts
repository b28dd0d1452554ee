import type { VerifyReport } from '../proof-contract.ts'
import { checkIntegrity } from './check-integrity.ts'
import { readableConnection } from './connection.ts'
import { checkVersion } from './migrate.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { verifyLedger } from './verify.ts'

/**
 * Proves a ledger file that no process writes: a backup. Nothing in it is changed. Throws `MigrationError` when another version of this program
 * wrote it, and an error that names the file when it is none.
 */
export async function verifyFile(path: string, recordsWatermark: () => bigint = () => 0n): Promise<VerifyReport> {
  const torn = checkIntegrity(path)
  if (torn.length > 0) return { ...NOTHING, faults: torn }
  checkFile(path)
  using ledger = readableConnection(path, 'exact')
  return await verifyLedger({ ledger, recordsWatermark, pause: () => Promise.resolve() })
}

function checkFile(path: string): void {
  using ledger = readableConnection(path)
  checkVersion(ledger, path, migrationsFolder('ledger'))
}

const NOTHING = { clean: false, accounts: 0, entries: 0, settlements: 0, openHolds: 0, balanceSum: '0' } as const
