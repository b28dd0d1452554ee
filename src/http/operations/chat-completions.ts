import { run } from '../../pipeline/index.ts'
import { chatCompletionsDoc } from './chat-completions-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /chat/completions`. */
export const chatCompletions: Operation = {
  name: 'chat.completions',
  method: 'POST',
  path: '/chat/completions',
  doc: chatCompletionsDoc,
  serve: run,
}
