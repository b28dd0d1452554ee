import { run } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'
import { responsesDoc } from './responses-doc.ts'

/** `POST /responses/input_tokens`. Nobody is charged for it. */
export const responsesInputTokens: Operation = {
  name: 'responses.input_tokens',
  method: 'POST',
  path: '/responses/input_tokens',
  doc: responsesDoc.inputTokens,
  serve: run,
}
