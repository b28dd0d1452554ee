import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const names = Type.Array(Type.String())
const changes = Type.Object({ added: names, removed: names, changed: names }, { title: 'NameChanges' })

const report = Type.Object(
  {
    catalogue_version: Type.Integer(),
    backends: changes,
    models: changes,
    aliases: changes,
    routers: changes,
    settings: Type.Array(Type.String(), { description: 'Those that are different now.' }),
    restart_needed: Type.Array(Type.String(), { description: 'Those that this process cannot take over.' }),
  },
  { title: 'Reload' },
)

const NONE = { added: [], removed: [], changed: [] }

/** `/config/reload` for the document. */
export const configReloadDoc = {
  reload: {
    tag: 'Configuration',
    access: 'management',
    summary: 'Read the configuration again',
    description:
      'All of it or nothing. Requests in progress keep what they came under; connections to what did not change stay open.',
    answer: jsonAnswer(200, 'What is different now.', report, {
      catalogue_version: 2,
      backends: { ...NONE, changed: ['north'] },
      models: NONE,
      aliases: NONE,
      routers: NONE,
      settings: ['routing.attempts_max'],
      restart_needed: [],
    }),
    errors: ['conflict', 'invalid_configuration'],
  },
} satisfies Record<string, OperationDoc>
