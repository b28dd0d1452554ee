import { Type } from '@sinclair/typebox'
import { KEEPER_ERRORS } from '../document/keeper-errors.ts'
import { KEPT_ERRORS, KEPT_LIST_ERRORS } from '../document/kept-errors.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { keptPage } from './kept-page.ts'

const request = openObject(
  'BatchRequest',
  {
    input_file_id: Type.String({ description: 'A file of your account: the batch begins where it is kept.' }),
    endpoint: Type.String({ description: 'The path that its requests are for.' }),
    completion_window: Type.String({ description: '`24h`.' }),
  },
  PASSES_ON,
)

const batch = openObject('Batch', {
  id: Type.String(),
  object: Type.Literal('batch'),
  status: Type.String({ description: '`validating`, `in_progress`, `completed`, `failed`, `expired`, `cancelled`, …' }),
  input_file_id: Type.String(),
  output_file_id: optional(Type.Union([Type.String(), Type.Null()])),
})

const ASKED = { input_file_id: 'file-7Q', endpoint: '/v1/chat/completions', completion_window: '24h' }
const BATCH = { id: 'batch_7Q', object: 'batch', status: 'validating', output_file_id: null, ...ASKED }
const STORED = 'Asks the backend that works on it. Only keys of the account that began it find it.'

/** `/batches` for the document. */
export const batchesDoc = {
  create: {
    tag: 'Stored',
    summary: 'Begin a batch',
    description:
      'A provider works on it outside of the gateway, with its own names of models, and nothing of it is metered or billed here: so it is for files that were sent with an own credential, and \
for unmetered accounts with a key that has no budget; where key or account list models, for neither.',
    access: 'key',
    body: request,
    requests: { Plain: ASKED },
    answer: jsonAnswer(200, 'The batch as it stands.', batch, BATCH),
    names: 'files',
    errors: [...KEEPER_ERRORS, 'not_metered', 'privacy_restricted', 'request_timeout'],
  },
  list: {
    tag: 'Stored',
    summary: 'Your batches',
    description:
      'Those of your account; what may have changed is asked for again. Query: `limit` (20, at most 100), `after`, `order` (`desc`, `asc`).',
    access: 'key',
    answer: keptPage('Batches', BATCH),
    errors: KEPT_LIST_ERRORS,
  },
  show: {
    tag: 'Stored',
    summary: 'Show a batch',
    description: `${STORED} The files that it made are your account's from then on.`,
    access: 'key',
    answer: jsonAnswer(200, 'The batch as it stands.', batch, BATCH),
    errors: KEPT_ERRORS,
  },
  cancel: {
    tag: 'Stored',
    summary: 'Stop a batch',
    description: STORED,
    access: 'key',
    answer: jsonAnswer(200, 'The batch as it stands.', batch, { ...BATCH, status: 'cancelling' }),
    errors: KEPT_ERRORS,
  },
} as const satisfies Record<string, OperationDoc>
