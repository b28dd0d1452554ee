import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { healthState, whyOut } from './shared-schema.ts'

const cause = Type.Object(
  {
    cause: fields.oneOf('operator', 'failures', 'throttle', 'credential_denied', 'credential_throttled', 'cooling'),
    reason: Type.String({ description: "An operator's, or what was seen last." }),
    by: fields.orNull(Type.String(), 'The operator who set it.'),
    credential: fields.orNull(Type.String(), 'Which of the provider’s, when it is about one.'),
    account: fields.orNull(Type.String(), 'The one account that leaves the backend alone; the others go on.'),
    since_ms: fields.atMs(),
    until_ms: fields.orNull(fields.atMs(), 'Null: until it is cleared. Over: one request at a time tries the backend.'),
    backoff_ms: fields.orNull(Type.Integer(), 'The next time of waiting is twice as long.'),
    source: fields.orNull(fields.oneOf('retry_after', 'back_off'), 'Who set the time of a throttle.'),
    count: fields.orNull(Type.Integer(), 'Failures.'),
    streak: fields.orNull(Type.Integer(), 'Failures in a row.'),
    last_status: fields.orNull(Type.Integer()),
  },
  { title: 'QuarantineCause' },
)

const row = Type.Object(
  {
    backend: Type.String(),
    configured: Type.Boolean({ description: 'Whether the configuration still has it.' }),
    state: healthState,
    cause: fields.orNull(whyOut.cause, 'Of those that keep it out, the one that lasts longest; null: it is not out.'),
    reason: fields.orNull(whyOut.reason),
    by: whyOut.by,
    since_ms: fields.orNull(whyOut.since_ms),
    until_ms: whyOut.until_ms,
    causes: Type.Array(cause, { description: 'All that speaks against it.' }),
  },
  { title: 'QuarantinedBackend' },
)

const WHY = {
  cause: 'operator',
  reason: 'maintenance at the provider',
  by: 'local:1000',
  since_ms: examples.atMs,
  until_ms: examples.atMs + 600_000,
}

const ROW = {
  backend: examples.backend,
  configured: true,
  state: 'out',
  ...WHY,
  causes: [
    {
      ...WHY,
      credential: null,
      account: null,
      backoff_ms: null,
      source: null,
      count: null,
      streak: null,
      last_status: null,
    },
  ],
}

const common = { tag: 'Backends', access: 'management' } as const

/** `/quarantine` for the document. */
export const quarantineDoc = {
  list: {
    ...common,
    summary: 'List backends that something speaks against, and why',
    answer: jsonAnswer(200, 'All of them.', fields.page(row), pageExample(ROW)),
  },
  set: {
    ...common,
    summary: 'Take a backend out',
    description: 'It gets no new request. Those in progress end as they would.',
    requests: {
      'For a time': { reason: 'maintenance at the provider', for_ms: 600_000 },
      'Until it is cleared': { reason: 'wrong answers' },
    },
    answer: jsonAnswer(200, 'Its row.', row, ROW),
    errors: ['not_found'],
  },
  clear: {
    ...common,
    summary: 'Let a backend in again',
    description: 'All of its causes end, whoever set them.',
    answer: jsonAnswer(200, 'It is in.', Type.Object({ backend: Type.String(), cleared: Type.Literal(true) }), {
      backend: examples.backend,
      cleared: true,
    }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
