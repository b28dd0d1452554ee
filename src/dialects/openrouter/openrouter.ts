import { givenFields } from '../given.ts'
import { writeResponseError } from '../openai/response-error.ts'
import type { AnswerMark, PublicError, Surface } from '../surface.ts'
import { errorTypeOf } from './error-type.ts'

/** What callers of `/api/v1` see: OpenAI's format with OpenRouter's marks and errors (OPENROUTER.md, 2c). */
export const openrouter: Surface = {
  name: 'openrouter',
  dialect: 'openai',
  isStamped: true,
  writeError: (error) => Buffer.from(JSON.stringify({ error: errorOf(error), ...routingOf(error) })),
  writeErrorEvent: (error, mark) =>
    mark.operation === 'responses'
      ? writeResponseError(error, mark, { error_type: errorTypeOf(error.status, error.code) })
      : Buffer.from(`data: ${JSON.stringify(eventOf(error, mark))}\n\n`),
}

/** `code` is always the HTTP status: its SDK takes no text. What `/v1` says in `code`, `param` and further fields is in `metadata`. */
function errorOf({ status, message, code, param, extra, availability }: PublicError) {
  return {
    code: status,
    message,
    metadata: givenFields({ error_type: errorTypeOf(status, code), code, param, ...extra }),
    ...(availability === undefined ? {} : { availability }),
  }
}

const routingOf = ({ routing }: PublicError): object => (routing === undefined ? {} : { openrouter_metadata: routing })

/** A chunk like any other: its SDK refuses an event without `choices`, and ends at this `finish_reason` (WIRE.md, 3.4). Where there are no choices, an `error` event. */
function eventOf(error: PublicError, { operation, id, createdS, model, provider }: AnswerMark) {
  const isText = operation === 'completions'
  if (operation !== 'chat.completions' && !isText) return { type: 'error', id, model, provider, error: errorOf(error) }
  return {
    id,
    object: isText ? 'text_completion' : 'chat.completion.chunk',
    created: createdS,
    model,
    provider,
    error: errorOf(error),
    ...routingOf(error),
    choices: [
      {
        index: 0,
        ...(isText ? { text: '' } : { delta: { content: '' } }),
        finish_reason: 'error',
        native_finish_reason: null,
      },
    ],
  }
}
