import { run } from '../../pipeline/index.ts'
import { messagesDoc } from './messages-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /messages/count_tokens`: Anthropic's. Nobody is charged for it. */
export const messagesCountTokens: Operation = {
  name: 'messages.count_tokens',
  method: 'POST',
  path: '/messages/count_tokens',
  dialect: 'anthropic',
  doc: messagesDoc.countTokens,
  serve: run,
}
