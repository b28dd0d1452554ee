import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { whyOut } from './shared-schema.ts'

const row = Type.Object(
  {
    backend: Type.String(),
    configured: Type.Boolean({ description: 'Whether the configuration still has it.' }),
    ...whyOut,
  },
  { title: 'QuarantinedBackend' },
)

const ROW = {
  backend: examples.backend,
  configured: true,
  cause: 'operator',
  reason: 'maintenance at the provider',
  by: 'local:1000',
  since_ms: examples.atMs,
  until_ms: examples.atMs + 600_000,
}

const common = { tag: 'Backends', access: 'management' } as const

/** `/quarantine` for the document. */
export const quarantineDoc = {
  list: {
    ...common,
    summary: 'List backends that are out, and why',
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
    answer: jsonAnswer(200, 'It is in.', Type.Object({ backend: Type.String(), cleared: Type.Literal(true) }), {
      backend: examples.backend,
      cleared: true,
    }),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
