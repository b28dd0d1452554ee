/** The type that callers of this dialect are told with a status. */
export const errorTypeOf = (status: number): string =>
  TYPE_BY_STATUS.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')

/** Anthropic's types of errors, each with the status that it comes with (docs.anthropic.com/en/api/errors). */
const STATUS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['overloaded_error', 529],
  ['timeout_error', 504],
])

/** The status of one of Anthropic's types; null for any other word. */
export const statusOfType = (type: string): number | null => STATUS_BY_TYPE.get(type) ?? null

const TYPE_BY_STATUS: ReadonlyMap<number, string> = new Map([
  ...[...STATUS_BY_TYPE].map(([type, status]): [number, string] => [status, type]),
  [408, 'timeout_error'],
  [503, 'overloaded_error'],
])
