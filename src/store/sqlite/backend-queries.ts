import type { Database } from 'bun:sqlite'
import { and, asc, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { BackendId, QuarantineRow } from '../../domain/index.ts'
import type { SealedCredential } from '../backends-contract.ts'
import type { Page } from '../page.ts'
import { pageSize } from './page-size.ts'
import { quarantineRow, sealedCredential } from './rows.ts'
import { ownCredential, quarantine } from './schema.ts'

/** Reads of what keeps backends out, and of the credentials that accounts bring. */
export function backendQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    quarantine: (): QuarantineRow[] =>
      db.select().from(quarantine).orderBy(asc(quarantine.backend)).all().map(quarantineRow),
    quarantineOf(backend: BackendId): QuarantineRow | null {
      const rows = db.select().from(quarantine).where(eq(quarantine.backend, backend)).limit(1).all()
      return rows.map(quarantineRow)[0] ?? null
    },
    /** By account, provider, name; the cursor is a credential's id. Null: of all accounts. */
    ownCredentials(accountId: string | null, page: Page): SealedCredential[] {
      const place = sql`(${ownCredential.accountId}, ${ownCredential.provider}, ${ownCredential.name})`
      const after =
        page.after === null
          ? undefined
          : sql`${place} > (SELECT account_id, provider, name FROM own_credential WHERE id = ${page.after})`
      const ofAccount = accountId === null ? undefined : eq(ownCredential.accountId, accountId)
      const rows = db
        .select()
        .from(ownCredential)
        .where(and(ofAccount, after))
        .orderBy(asc(ownCredential.accountId), asc(ownCredential.provider), asc(ownCredential.name))
        .limit(pageSize(page))
        .all()
      return rows.map(sealedCredential)
    },
    ownCredential(accountId: string, id: string): SealedCredential | null {
      const where = and(eq(ownCredential.id, id), eq(ownCredential.accountId, accountId))
      return db.select().from(ownCredential).where(where).limit(1).all().map(sealedCredential)[0] ?? null
    },
  }
}
