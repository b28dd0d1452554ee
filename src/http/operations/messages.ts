import { run } from '../../pipeline/index.ts'
import { messagesDoc } from './messages-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /messages`: Anthropic's. */
export const messages: Operation = {
  name: 'messages',
  method: 'POST',
  path: '/messages',
  dialect: 'anthropic',
  doc: messagesDoc.create,
  serve: run,
}
