import { run } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'
import { responsesDoc } from './responses-doc.ts'

/** `POST /responses`. */
export const responses: Operation = {
  name: 'responses',
  method: 'POST',
  path: '/responses',
  doc: responsesDoc.create,
  serve: run,
}
