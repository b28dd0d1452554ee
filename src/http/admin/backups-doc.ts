import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { VERIFIED, verified } from './verified.ts'

const backup = Type.Object(
  {
    folder: Type.String({ description: "In the data folder's `backups`, named by the time." }),
    ledger_bytes: Type.Integer(),
    records_bytes: Type.Integer(),
    verify: verified,
  },
  { title: 'Backup' },
)

const MADE = {
  folder: '/var/lib/anyrouter/backups/20260701T120000123Z',
  ledger_bytes: 413_696,
  records_bytes: 1_204_224,
  verify: VERIFIED,
}

/** `/backups` for the document. */
export const backupsDoc = {
  make: {
    tag: 'Ledger',
    access: 'management',
    summary: 'Make a backup',
    description:
      'Copies the ledger and the records into a new folder beside them, while requests go on, and proves the copy. `master.key` is not in it. Nothing takes old ones away.',
    answer: jsonAnswer(201, 'It is whole, and on disk.', backup, MADE),
    errors: ['conflict'],
  },
} satisfies Record<string, OperationDoc>
