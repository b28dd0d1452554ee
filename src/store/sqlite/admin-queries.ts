import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { ManagementKey } from '../../domain/index.ts'
import type { AuditFilter, AuditRow } from '../change-note.ts'
import type { Page } from '../contract.ts'
import { pageSize } from './page-size.ts'
import { managementKeyRow } from './rows.ts'
import { audit, managementKey } from './schema.ts'

/** Reads of who administers and what they changed, in keyset pages. */
export function adminQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    /** By name and id; the cursor is a key's id. */
    managementKeys(page: Page): ManagementKey[] {
      const place = sql`(${managementKey.name}, ${managementKey.id})`
      const after =
        page.after === null ? undefined : sql`${place} > (SELECT name, id FROM management_key WHERE id = ${page.after})`
      const rows = db
        .select()
        .from(managementKey)
        .where(after)
        .orderBy(asc(managementKey.name), asc(managementKey.id))
        .limit(pageSize(page))
        .all()
      return rows.map(managementKeyRow)
    },
    managementKey(id: string): ManagementKey | null {
      const rows = db.select().from(managementKey).where(eq(managementKey.id, id)).limit(1).all()
      return rows.map(managementKeyRow)[0] ?? null
    },
    /** Newest first; the cursor is a `seq`. */
    audit({ subject, action }: AuditFilter, page: Page): AuditRow[] {
      const where = and(
        subject === null ? undefined : eq(audit.subject, subject),
        action === null ? undefined : eq(audit.action, action),
        page.after === null ? undefined : lt(audit.seq, Number(page.after)),
      )
      return db.select().from(audit).where(where).orderBy(desc(audit.seq)).limit(pageSize(page)).all()
    },
  }
}
