import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { OBSERVED_EXAMPLE, observedSchema } from './observed-schema.ts'
import { PATH_EXAMPLE, pathSchema } from './path-schema.ts'
import { healthState, quarantineSchema } from './shared-schema.ts'

const backend = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: 'Its base URL.' }),
    provider: Type.String(),
    ownership: fields.orNull(Type.String(), 'Country that owns the provider.'),
    region: fields.orNull(Type.String()),
    dialects: Type.Array(Type.String()),
    enabled: Type.Boolean(),
    slots: Type.Integer({ description: 'How many requests it may have at once.' }),
    slots_busy: Type.Integer(),
    slots_free: Type.Integer(),
    waiters: Type.Integer({ description: 'Requests in line for a slot.' }),
    connections_open: Type.Integer(),
    connections_idle: Type.Integer(),
    path: fields.orNull(pathSchema, 'Null: it was never used.'),
    health: Type.Unsafe({ ...healthState, description: '`half_open`: one request at a time tries it.' }),
    quarantine: fields.orNull(quarantineSchema, 'Null: it is not out.'),
    observed: fields.orNull(observedSchema, 'Of all its offers together; null: no attempt in a day.'),
    models: Type.Array(Type.String(), { description: 'What it may serve.' }),
  },
  { title: 'Backend' },
)

const BACKEND = {
  id: examples.backend,
  url: 'http://127.0.0.1:40123/v1',
  provider: examples.provider,
  ownership: null,
  region: null,
  dialects: ['openai'],
  enabled: true,
  slots: 64,
  slots_busy: 0,
  slots_free: 64,
  waiters: 0,
  connections_open: 1,
  connections_idle: 1,
  path: PATH_EXAMPLE,
  health: 'in',
  quarantine: null,
  observed: OBSERVED_EXAMPLE,
  models: [SAMPLE_MODEL],
}

const common = { tag: 'Backends', access: 'management' } as const

/** `/backends` for the document. */
export const backendsDoc = {
  list: {
    ...common,
    summary: 'List backends, and how they are doing now',
    answer: jsonAnswer(200, 'All of them.', fields.page(backend), pageExample(BACKEND)),
  },
  show: {
    ...common,
    summary: 'Show a backend',
    answer: jsonAnswer(200, 'The backend.', backend, BACKEND),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
