import { run } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'

/** `POST /v1/chat/completions`, OpenAI dialect. */
export const chatCompletions: Operation = {
  name: 'chat.completions',
  method: 'POST',
  path: '/v1/chat/completions',
  serve: (house, arrival) => run(house, arrival, 'openai'),
}
