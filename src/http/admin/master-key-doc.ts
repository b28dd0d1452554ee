import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const rotation = Type.Object(
  {
    resealed: Type.Integer({ description: 'Own credentials that are sealed with the new key now.' }),
    unreadable: Type.Integer({
      description: 'Own credentials that none of the keys opened, before or after: set their secrets anew.',
    }),
  },
  { title: 'Rotation' },
)

/** `/master-key/rotate` for the document. */
export const masterKeyDoc = {
  rotate: {
    tag: 'Own credentials',
    access: 'management',
    summary: 'Replace the master key',
    description:
      'Makes a new `master.key`, seals every own credential with it, and drops the old one. Requests go on meanwhile. One that was broken off goes on when it is asked for again.',
    answer: jsonAnswer(200, 'What was sealed anew.', rotation, { resealed: 3, unreadable: 0 }),
    errors: ['storage_unavailable'],
  },
} satisfies Record<string, OperationDoc>
