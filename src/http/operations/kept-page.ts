import { Type } from '@sinclair/typebox'
import { openObject } from '../document/open-object.ts'
import { type AnswerDoc, jsonAnswer } from '../document/operation-doc.ts'

/** A page of what providers keep for an account, with an example of one row. */
export const keptPage = (title: string, row: { readonly id: string }): AnswerDoc =>
  jsonAnswer(200, 'A page of them.', openObject(title, page), {
    object: 'list',
    data: [row],
    first_id: row.id,
    last_id: row.id,
    has_more: false,
  })

const page = {
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true })),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
}
