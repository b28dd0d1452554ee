import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const line = (description: string) => fields.orNull(Type.Integer({ minimum: 1 }), description)

const setting = Type.Object(
  {
    path: Type.String({ description: 'Keys from the top of the file, joined by dots.' }),
    value: Type.Any({ description: 'Text, number, boolean, null or a list. A secret is `***`.' }),
    from: fields.oneOf('file', 'environment', 'default', 'flag'),
    line: line('Null: not in the file.'),
    column: line('Null: not in the file.'),
  },
  { title: 'Setting' },
)

const problem = Type.Object(
  {
    path: Type.String({ description: 'Keys from the top; empty for the text as a whole.' }),
    line: line('Null: no place in the text.'),
    column: line('Null: no place in the text.'),
    reason: Type.String(),
    suggestion: fields.orNull(Type.String()),
  },
  { title: 'ConfigProblem' },
)

const common = { tag: 'Configuration', access: 'management' } as const

/** `/config` for the document. */
export const configDoc = {
  show: {
    ...common,
    summary: 'Show the configuration in effect, and where each value came from',
    answer: jsonAnswer(
      200,
      'Every value, secrets masked.',
      Type.Object(
        {
          path: fields.orNull(Type.String(), 'The file; null: all defaults.'),
          settings: Type.Array(setting),
        },
        { title: 'Configuration' },
      ),
      {
        path: 'anyrouter.yaml',
        settings: [
          { path: 'server.port', value: 8080, from: 'file', line: 2, column: 9 },
          { path: 'routing.attempts_max', value: 3, from: 'default', line: null, column: null },
        ],
      },
    ),
  },
  validate: {
    ...common,
    summary: 'Check a configuration without using it',
    description:
      'The body is the YAML itself. Environment variables that it names must be set where the gateway runs; files that it names are not opened.',
    requestType: 'application/yaml',
    requests: { 'A setting': 'server:\n  port: 8081\n' },
    answer: jsonAnswer(
      200,
      'Whether it could be used, and every problem.',
      Type.Object({ valid: Type.Boolean(), problems: Type.Array(problem) }, { title: 'ConfigCheck' }),
      {
        valid: false,
        problems: [
          { path: 'server.prot', line: 2, column: 3, reason: "unknown key 'prot'", suggestion: "Did you mean 'port'?" },
        ],
      },
    ),
  },
} satisfies Record<string, OperationDoc>
