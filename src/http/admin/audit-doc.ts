import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const row = Type.Object(
  {
    seq: Type.Integer(),
    at_ms: fields.atMs(),
    actor: Type.String({ description: 'Who did it: `local:<uid>`, or `key:` and the id of a management key.' }),
    action: Type.String({ description: 'What was done, such as `account.create`.' }),
    subject: Type.String({ description: 'The id of what was changed.' }),
    details: Type.Object({}, { additionalProperties: true, description: 'Never a secret.' }),
  },
  { title: 'AuditRow' },
)

const ROW = {
  seq: 1,
  at_ms: examples.atMs,
  actor: 'local:1000',
  action: 'account.create',
  subject: examples.accountId,
  details: { name: 'demo', kind: 'prepaid' },
}

/** `/audit` for the document. */
export const auditDoc = {
  list: {
    tag: 'Audit',
    access: 'management',
    summary: 'List changes, newest first',
    description: 'Each was written in the transaction of its change.',
    answer: jsonAnswer(200, 'One page.', fields.page(row), pageExample(ROW)),
    errors: ['invalid_request'],
  },
} satisfies Record<string, OperationDoc>
