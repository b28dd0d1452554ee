import { Elysia } from 'elysia'
import { fileStamp } from '../../lib/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { backupsDoc } from './backups-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { verifyView } from './verify-view.ts'

/** `/backups`: a copy of both databases, in the data folder, while requests go on. */
export function backups({ store, clock, log }: AdminDeps) {
  return new Elysia().post(
    '/backups',
    async ({ request, set }) => {
      const { actor } = byCaller(request)
      const { folder, ledgerBytes, recordsBytes, verify } = await store.reader.backup(fileStamp(clock.wallMs()))
      log.info('backup', { actor, folder, ledger_bytes: ledgerBytes, records_bytes: recordsBytes, clean: verify.clean })
      set.status = 201
      return { folder, ledger_bytes: ledgerBytes, records_bytes: recordsBytes, verify: verifyView(verify) }
    },
    { parse: 'none', detail: operationDoc(backupsDoc.make) },
  )
}
