import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const finding = Type.Object(
  {
    check: fields.oneOf(
      'configuration',
      'socket',
      'folder',
      'disk',
      'descriptors',
      'database',
      'ledger',
      'usage',
      'clock',
      'backend',
      'credential',
    ),
    subject: fields.orNull(Type.String(), 'What of it: a backend, `backend/credential`, a file.'),
    state: fields.oneOf('ok', 'warn', 'fail'),
    message: Type.String({ description: 'For people.' }),
    advice: fields.orNull(Type.String(), 'What to do about it.'),
  },
  { title: 'Finding' },
)

const report = Type.Object(
  { ok: Type.Boolean({ description: 'Nothing fails.' }), findings: Type.Array(finding) },
  { title: 'Findings' },
)

/** `/doctor` for the document. */
export const doctorDoc = {
  examine: {
    tag: 'Health',
    access: 'management',
    summary: 'Look at everything the server stands on',
    description:
      'Folder, disk, descriptors, database, ledger, sums of usage, clock; each enabled backend on a new connection, and each credential of it with a free call. ' +
      'Changes nothing, costs nothing, and takes some minutes at most.',
    answer: jsonAnswer(200, 'What was found, well or not.', report, {
      ok: true,
      findings: [
        { check: 'disk', subject: 'space', state: 'ok', message: '37.2 GB free', advice: null },
        {
          check: 'backend',
          subject: 'north',
          state: 'warn',
          message: 'quarantined (operator): maintenance',
          advice: "It gets no request until then: see 'anyrouter quarantine list'.",
        },
      ],
    }),
  },
} satisfies Record<string, OperationDoc>
