import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder of the migrations of one database: beside the code in the compiled executable (`--asset=migrations`), at the top of the
 * repository when run from source.
 */
export function migrationsFolder(database: 'ledger' | 'records'): string {
  const embedded = join(import.meta.dir, 'migrations', database)
  return existsSync(embedded) ? embedded : join(import.meta.dir, '../../../migrations', database)
}
