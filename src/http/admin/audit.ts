import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { AuditRow } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { auditDoc } from './audit-doc.ts'
import type { AdminDeps } from './deps.ts'
import { bySeq, listOf, pageQuery } from './list-of.ts'

const query = Type.Object({
  ...pageQuery,
  subject: Type.Optional(Type.String({ minLength: 1, description: 'The id of what was changed.' })),
  action: Type.Optional(Type.String({ minLength: 1, description: 'What was done, such as `account.create`.' })),
})

/** `/audit`: who changed what, newest first. */
export function audit({ store }: AdminDeps) {
  return new Elysia().get(
    '/audit',
    ({ query: { subject = null, action = null, ...page } }) =>
      listOf(page, bySeq, (wanted) => store.reader.audit({ subject, action }, wanted), view),
    { query, detail: operationDoc(auditDoc.list) },
  )
}

const view = (row: AuditRow): object => ({
  seq: row.seq,
  at_ms: row.atMs,
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  details: row.details,
})
