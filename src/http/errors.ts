import { dialectOf } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import { asGatewayError, errorHeaders, publicError } from '../pipeline/index.ts'

/** An answer for what never became a request of the pipeline: OpenAI-shaped, with `x-request-id`. */
export function errorResponse(error: GatewayError, requestId: string): Response {
  const body = dialectOf('openai').writeError(publicError(error, requestId))
  return new Response(body, { status: error.status, headers: { ...errorHeaders(error), 'x-request-id': requestId } })
}

export interface EdgeFailure {
  /** Elysia's word for what happened. */
  readonly code: string | number
  readonly thrown: unknown
  readonly request: Request
  /** Methods by path, of the routes that exist. */
  readonly methods: (path: string) => readonly string[]
}

/** Elysia's own errors are plain text and may echo the body: each becomes one of the catalogue. */
export function edgeError({ code, thrown, request, methods }: EdgeFailure): GatewayError {
  if (code === 'NOT_FOUND') return notFound(request, methods)
  if (code === 'PARSE') return new GatewayError('invalid_json', 'The request body could not be read as JSON.')
  if (code === 'VALIDATION') return new GatewayError('invalid_request', 'The request does not have the expected form.')
  return asGatewayError(thrown)
}

function notFound(request: Request, methods: EdgeFailure['methods']): GatewayError {
  const { pathname } = new URL(request.url)
  const allowed = methods(pathname)
  if (allowed.length === 0)
    return new GatewayError('not_found', `There is nothing at ${request.method} ${clip(pathname)}.`)
  const allow = allowed.join(', ')
  return new GatewayError(
    'method_not_allowed',
    `${request.method} is not allowed at ${clip(pathname)}. Allowed: ${allow}.`,
    { headers: { allow } },
  )
}

const PATH_SHOWN_MAX = 200
const clip = (path: string): string => (path.length > PATH_SHOWN_MAX ? `${path.slice(0, PATH_SHOWN_MAX)}…` : path)
