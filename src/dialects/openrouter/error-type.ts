/** OpenRouter's words for what went wrong. A code that is one of them says more than the status. */
export function errorTypeOf(status: number, code: string | null): string {
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
