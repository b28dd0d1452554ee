import { Type } from '@sinclair/typebox'
import { fileField, IN_A_FORM } from '../document/file-field.ts'
import { KEEPER_ERRORS } from '../document/keeper-errors.ts'
import { KEPT_ERRORS, KEPT_LIST_ERRORS } from '../document/kept-errors.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { keptPage } from './kept-page.ts'

const request = openObject(
  'FileRequest',
  {
    file: fileField('The file.'),
    purpose: Type.String({ description: '`batch`, `user_data`, `vision`, …' }),
  },
  PASSES_ON,
)

const file = openObject('File', {
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Type.Integer(),
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  filename: Type.String(),
  purpose: Type.String(),
  status: optional(Type.String()),
})
const deleted = openObject('DeletedFile', { id: Type.String(), object: Type.String(), deleted: Type.Boolean() })

const FILE = {
  id: 'file-7Q',
  object: 'file',
  bytes: 120,
  created_at: 1_789_000_000,
  filename: 'requests.jsonl',
  purpose: 'batch',
  status: 'processed',
}
const STORED = 'Asks the backend that keeps it. Only keys of the account that sent it find it.'

/** `/files` for the document. */
export const filesDoc = {
  upload: {
    tag: 'Stored',
    summary: 'Send a file',
    description:
      'It goes on, while it comes, to one backend: the first that may be used of those whose offers say `files` in `operations`, else the first that may be used; \
`x-anyrouter-provider` names another. It stays there: what names it goes to that backend too. At most `server.upload_bytes_max`. Nothing is billed.',
    access: 'key',
    body: request,
    requests: { Plain: { file: '', purpose: 'batch' } },
    ...IN_A_FORM,
    answer: jsonAnswer(200, 'What the provider keeps it as.', file, FILE),
    errors: [...KEEPER_ERRORS, 'duplicate_field', 'request_timeout', 'no_matching_backend', 'privacy_restricted'],
  },
  list: {
    tag: 'Stored',
    summary: 'Your files',
    description:
      'Those of your account, as their providers described them last. Query: `limit` (20, at most 100), `after`, `order` (`desc`, `asc`), `purpose`.',
    access: 'key',
    answer: keptPage('Files', FILE),
    errors: KEPT_LIST_ERRORS,
  },
  show: {
    tag: 'Stored',
    summary: 'Show a file',
    description: STORED,
    access: 'key',
    answer: jsonAnswer(200, 'What is known of it.', file, FILE),
    errors: KEPT_ERRORS,
  },
  content: {
    tag: 'Stored',
    summary: 'What is in a file',
    description: STORED,
    access: 'key',
    answer: {
      status: 200,
      description: 'Its bytes, as they come.',
      content: {
        'application/octet-stream': { schema: Type.String({ format: 'binary' }), example: '{"custom_id":"1"}\n' },
      },
    },
    errors: KEPT_ERRORS,
  },
  delete: {
    tag: 'Stored',
    summary: 'Delete a file',
    description: STORED,
    access: 'key',
    answer: jsonAnswer(200, 'It is there no more.', deleted, { id: FILE.id, object: 'file', deleted: true }),
    errors: KEPT_ERRORS,
  },
} as const satisfies Record<string, OperationDoc>
