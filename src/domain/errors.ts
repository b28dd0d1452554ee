import { errorText } from '../lib/index.ts'

/**
 * The error catalogue. A row: HTTP status, the OpenAI `type`, whether repeating the same request can help
 * (`retryable`: false adds `x-should-retry: false` where SDKs would repeat by status), and what it means (docs/ERRORS.md).
 */
const CATALOGUE = {
  // the request itself
  invalid_json: row(400, 'invalid_request_error', false, 'The body is not JSON. The message says where.'),
  invalid_request: row(
    400,
    'invalid_request_error',
    false,
    'A field is missing or has a form that cannot be understood. `param` names it.',
  ),
  duplicate_field: row(400, 'invalid_request_error', false, 'A field that the gateway reads is given twice.'),
  context_length_exceeded: row(
    400,
    'invalid_request_error',
    false,
    'The prompt is longer than the context of every backend that the request may use.',
  ),
  missing_api_key: row(401, 'invalid_request_error', false, 'No key was sent.'),
  invalid_api_key: row(401, 'invalid_request_error', false, 'The key is unknown, revoked or expired.'),
  insufficient_credits: row(402, 'insufficient_quota', false, 'The account cannot pay for this request.'),
  key_budget_exceeded: row(
    402,
    'insufficient_quota',
    false,
    'A budget of the key does not allow this request. `resets_at` says when it begins anew.',
  ),
  account_disabled: row(403, 'invalid_request_error', false, 'The account is switched off.'),
  model_not_permitted: row(403, 'invalid_request_error', false, 'The key may not use this model.'),
  region_restricted: row(
    403,
    'invalid_request_error',
    false,
    'No region that the key and its account may use offers the model.',
  ),
  privacy_restricted: row(
    404,
    'invalid_request_error',
    false,
    'No provider of the model handles data as the request, the key or the account asks for.',
  ),
  insufficient_scope: row(
    403,
    'invalid_request_error',
    false,
    'The management key has not the scope that this needs: `read`, `write` or `credits`.',
  ),
  address_not_permitted: row(
    403,
    'invalid_request_error',
    false,
    'The key may not be used from the address of the caller.',
  ),
  not_found: row(404, 'invalid_request_error', false, 'There is nothing at this path.'),
  not_metered: row(
    403,
    'invalid_request_error',
    false,
    'A batch is worked on outside of the gateway: it is for own credentials, and for unmetered accounts with a key that has no budget; where models are listed, for neither.',
  ),
  not_stored: row(
    404,
    'invalid_request_error',
    false,
    'The account has nothing of this id: it was not made by it through the gateway, or it is forgotten.',
  ),
  model_not_found: row(404, 'invalid_request_error', false, 'No such model is served here.'),
  wrong_endpoint: row(
    400,
    'invalid_request_error',
    false,
    'The model is served, but not at this path: no backend of it knows the operation.',
  ),
  no_matching_backend: row(
    404,
    'invalid_request_error',
    false,
    'The model is served, but no backend of it is as the request asks. `skips` says which rule passed over what.',
  ),
  method_not_allowed: row(
    405,
    'invalid_request_error',
    false,
    'The path exists, but not with this method. `allow` lists those that do.',
  ),
  request_timeout: row(408, 'timeout', true, 'The body did not arrive in time.'),
  conflict: row(409, 'invalid_request_error', false, 'Something of this name exists already.'),
  idempotency_key_reused: row(
    409,
    'invalid_request_error',
    false,
    'The `Idempotency-Key` was used for another request in the last 24 hours.',
  ),
  precondition_failed: row(
    412,
    'invalid_request_error',
    false,
    'It has changed since the version that `If-Match` names. Read it again.',
  ),
  body_too_large: row(
    413,
    'invalid_request_error',
    false,
    'The body is larger than `server.body_bytes_max`, or a form than `server.upload_bytes_max`.',
  ),
  invalid_configuration: row(
    422,
    'invalid_request_error',
    false,
    'The configuration file cannot be used; nothing has changed. `problems` says where and why.',
  ),
  unsupported_encoding: row(415, 'invalid_request_error', false, 'The body is compressed. Only plain JSON is read.'),
  head_too_large: row(431, 'invalid_request_error', false, 'The request head is larger than 32 KB.'),
  // limits and capacity
  rate_limit_exceeded: row(
    429,
    'requests',
    true,
    'A limit of the key is met (requests or tokens per minute, requests at once), or every backend is limiting the rate of requests.',
  ),
  too_many_requests_in_flight: row(
    503,
    'server_error',
    true,
    'The gateway holds as many requests as it may (`limits.requests_in_flight_max`), or as much of their bodies (`limits.bodies_bytes_max`).',
  ),
  no_capacity: row(
    503,
    'server_error',
    true,
    'Every backend of this model is full, or the gateway has no room for another connection.',
  ),
  no_backend: row(503, 'server_error', true, 'No backend of this model may be used now.'),
  shutting_down: row(503, 'server_error', true, 'The gateway is draining: it takes no new work.'),
  storage_unavailable: row(503, 'server_error', true, 'The ledger cannot be written, so nothing is sent.'),
  // providers
  provider_refused: row(
    400,
    'invalid_request_error',
    false,
    "The provider refused the request as invalid. Status, message, type, code and param are the provider's.",
  ),
  upstream_credentials_rejected: row(502, 'server_error', false, "The provider refused the operator's credential."),
  provider_failed: row(502, 'server_error', true, 'Every backend that was tried failed.'),
  provider_unreachable: row(502, 'server_error', true, 'No backend could be reached.'),
  provider_timeout: row(504, 'server_error', true, 'The provider did not answer in time.'),
  stream_broken: row(502, 'server_error', true, 'The provider broke off in the middle of its answer.'),
  // our own
  client_closed_request: row(
    499,
    'invalid_request_error',
    false,
    'The caller left before the answer. Only records show it.',
  ),
  internal_error: row(500, 'server_error', true, 'A bug of the gateway. The request id finds it in the log.'),
} as const satisfies Record<string, ErrorRow>

export interface ErrorRow {
  readonly status: number
  readonly type: string
  readonly retryable: boolean
  readonly meaning: string
}

export type ErrorCode = keyof typeof CATALOGUE

function row(status: number, type: string, retryable: boolean, meaning: string): ErrorRow {
  return { status, type, retryable, meaning }
}

/** The catalogue's row of a code. */
export const errorRow = (code: ErrorCode): ErrorRow => CATALOGUE[code]

/** All codes, in the order of the catalogue. */
export const errorCodes = (): readonly ErrorCode[] => Object.keys(CATALOGUE) as ErrorCode[]

export interface ErrorDetails {
  /** The request field at fault. */
  readonly param?: string
  /** Instead of the row's status, e.g. the provider's own 422. */
  readonly status?: number
  /** Instead of the row's type and code: the provider's own words. */
  readonly publicType?: string
  readonly publicCode?: string | null
  readonly retryAfterMs?: number
  /** Instead of the row's answer to whether a retry can help. */
  readonly retryable?: boolean
  /** For the log only. Never shown to a caller; never a secret. */
  readonly internal?: string
  /** Further fields of the public error object, e.g. the list of attempts. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The one error that leaves a step early: a code of the catalogue, a public message, details. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  /** The HTTP status a caller gets. */
  get status(): number {
    return this.details.status ?? errorRow(this.code).status
  }

  /** When to try again, in whole seconds from now; null: nobody knows. */
  get retryAfterS(): number | null {
    const { retryAfterMs } = this.details
    return retryAfterMs === undefined ? null : Math.max(1, Math.ceil(retryAfterMs / 1000))
  }

  /** Whether the same request may be sent again with some hope. */
  get retryable(): boolean {
    return this.details.retryable ?? errorRow(this.code).retryable
  }
}

/** What an error says to an operator: what is inside of it, rather than what a caller is told. */
export const internalWords = (error: unknown): string =>
  error instanceof GatewayError ? (error.details.internal ?? error.message) : errorText(error)
