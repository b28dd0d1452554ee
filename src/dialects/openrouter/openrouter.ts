import type { AnswerMark, PublicError, Surface } from '../surface.ts'

/** What callers of `/api/v1` see: OpenAI's format with OpenRouter's marks and errors (OPENROUTER.md, 2c). */
export const openrouter: Surface = {
  name: 'openrouter',
  dialect: 'openai',
  isStamped: true,
  writeError: (error) => Buffer.from(JSON.stringify({ error: errorOf(error) })),
  writeErrorEvent: (error, mark) => Buffer.from(`data: ${JSON.stringify(eventOf(error, mark))}\n\n`),
}

/** `code` is always the HTTP status: its SDK takes no text. What `/v1` says in `code`, `param` and further fields is in `metadata`. */
function errorOf({ status, message, code, param, extra }: PublicError) {
  const metadata = { error_type: errorTypeOf(status, code), code, param, ...extra }
  const told = Object.entries(metadata).filter(([, value]) => value !== null)
  return { code: status, message, metadata: Object.fromEntries(told) }
}

/** A chunk like any other: its SDK refuses an event without `choices`, and ends at this `finish_reason` (WIRE.md, 3.4). */
function eventOf(error: PublicError, { id, createdS, model, provider }: AnswerMark) {
  return {
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    provider,
    error: errorOf(error),
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
  }
}

/** Its words for what went wrong. A code that is one of them says more than the status. */
function errorTypeOf(status: number, code: string | null): string {
  if (code !== null && ERROR_TYPES.has(code)) return code
  return BY_STATUS.get(status) ?? (status >= 500 ? 'server' : 'unmapped')
}

const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request'],
  [401, 'authentication'],
  [402, 'payment_required'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [405, 'invalid_request'],
  [408, 'timeout'],
  [412, 'precondition_failed'],
  [413, 'payload_too_large'],
  [415, 'invalid_request'],
  [422, 'unprocessable'],
  [429, 'rate_limit_exceeded'],
  [431, 'invalid_request'],
  [502, 'provider_unavailable'],
  [503, 'provider_overloaded'],
  [504, 'timeout'],
  [529, 'provider_overloaded'],
])

const ERROR_TYPES: ReadonlySet<string> = new Set([
  ...BY_STATUS.values(),
  'context_length_exceeded',
  'max_tokens_exceeded',
  'token_limit_exceeded',
  'string_too_long',
  'invalid_prompt',
  'content_policy_violation',
  'refusal',
])
