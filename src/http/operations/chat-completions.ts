import { run } from '../../pipeline/index.ts'
import { chatCompletionsDoc } from './chat-completions-doc.ts'
import type { Operation } from './operation.ts'

/** `POST /v1/chat/completions`, OpenAI dialect. */
export const chatCompletions: Operation = {
  name: 'chat.completions',
  method: 'POST',
  path: '/v1/chat/completions',
  doc: chatCompletionsDoc,
  serve: (house, arrival) => run(house, arrival, 'openai'),
}
