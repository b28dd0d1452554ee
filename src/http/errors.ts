import { ValidationError } from 'elysia'
import { type SurfaceName, surfaceOf } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import { asGatewayError, errorHeaders, idHeaders, publicError } from '../pipeline/index.ts'
import { badHost } from './bad-host.ts'
import { PREFIXES, type Prefix } from './prefixes.ts'

/** An answer for what never became a request of the pipeline, with `x-request-id`. */
export function errorResponse(error: GatewayError, requestId: string, surface: SurfaceName = 'openai'): Response {
  const body = surfaceOf(surface).writeError(publicError(error, requestId))
  return new Response(body, {
    status: error.status,
    headers: { ...errorHeaders(error), ...idHeaders(requestId, surface) },
  })
}

/** What Elysia hands to `onError`. */
export interface EdgeFailure {
  readonly code: string | number
  readonly error: unknown
  readonly request: Request
}

export interface RouteLike {
  readonly method: string
  readonly path: string
}

/** Elysia's own errors are plain text and may echo the body: each becomes one of the catalogue. `routes` are those that exist. */
export function edgeError({ code, error, request }: EdgeFailure, routes: readonly RouteLike[]): GatewayError {
  const own = ownError(error)
  if (own !== null) return own
  if (code === 'NOT_FOUND') return notFound(request, routes)
  if (code === 'PARSE') return new GatewayError('invalid_json', 'The request body could not be read as JSON.')
  if (code === 'VALIDATION') return invalid(error)
  return asGatewayError(error)
}

/** What reading a body threw: Elysia wraps it. */
function ownError(error: unknown): GatewayError | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof GatewayError ? cause : null
}

/** Names the field at fault and what was expected, never what was given. */
function invalid(error: unknown): GatewayError {
  const first = error instanceof ValidationError ? error.valueError : undefined
  const param = first?.path.split('/').filter(Boolean).join('.') ?? ''
  const words = first === undefined ? 'it does not have the expected form' : wordsOf(first)
  const message = `The request is not valid: ${param === '' ? '' : `'${param}': `}${words}.`
  return new GatewayError('invalid_request', message, param === '' ? {} : { param })
}

/** A field that may be one thing or another, or has a form, says itself what it may be: the checker's words would not. */
function wordsOf({ message, schema }: NonNullable<ValidationError['valueError']>): string {
  const described: unknown = schema.description
  const saysItself = schema.anyOf !== undefined || schema.pattern !== undefined
  if (saysItself && typeof described === 'string') return described.replace(/\.$/, '')
  return PLAIN_WORDS[message] ?? message.toLowerCase()
}

const PLAIN_WORDS: Readonly<Record<string, string>> = {
  'Expected required property': 'it is missing',
  'Unexpected property': 'there is no such field here',
  'Expected string length greater or equal to 1': 'it is empty',
}

function notFound(request: Request, routes: readonly RouteLike[]): GatewayError {
  const pathname = URL.parse(request.url)?.pathname
  if (pathname === undefined) return badHost()
  const allowed = [...new Set(routes.filter(({ path }) => matches(path, pathname)).map(({ method }) => method))].sort()
  // Allowed, and not found all the same: it was asked for by another spelling of the path (`/x/../v1/…`).
  if (allowed.length === 0 || allowed.includes(request.method)) {
    const nothing = `There is nothing at ${request.method} ${clip(pathname)}.`
    return new GatewayError('not_found', nothing + hint(request.method, pathname, routes))
  }
  const allow = allowed.join(', ')
  return new GatewayError(
    'method_not_allowed',
    `${request.method} is not allowed at ${clip(pathname)}. Allowed: ${allow}.`,
    { headers: { allow } },
  )
}

/** For a base URL without its prefix, with it twice, or with another one: the path of the operation that was meant, and how the URL must end. */
function hint(method: string, pathname: string, routes: readonly RouteLike[]): string {
  const isUnder = ({ prefix }: Prefix): boolean => pathname.startsWith(`${prefix}/`)
  const own = PREFIXES.find(isUnder)?.prefix
  for (const { prefix } of [...PREFIXES.filter(isUnder), ...PREFIXES]) {
    const isMeant = (route: RouteLike): boolean =>
      route.method === method &&
      route.path.startsWith(`${prefix}/`) &&
      pathname.endsWith(route.path.slice(prefix.length))
    const meant = routes.find(isMeant)
    if (meant === undefined) continue
    // Below the right prefix another word names another operation: `/v1/messages/batches` is not `/v1/batches`.
    const rest = meant.path.slice(prefix.length)
    if (own !== undefined && !SLIPS.test(pathname.slice(own.length, -rest.length))) continue
    const mayAdd = pathname.endsWith(`/v1${rest}`) // as Anthropic's clients do
    return ` Did you mean ${meant.path}? The base URL of clients ends with ${prefix}${mayAdd ? ', or before /v1 where they add it' : ''}.`
  }
  return ''
}

/** What a base URL has too much, and no operation's name. */
const SLIPS = /^(?:\/(?:api|v1|openai)?)*$/

/** Whether a route's path, with its `:name` and `*` parts, is that of a request. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  const open = wanted.at(-1) === '*'
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false
  return wanted.every((part, at) => part === '*' || part.startsWith(':') || part === given[at])
}

const PATH_SHOWN_MAX = 200
const clip = (path: string): string => (path.length > PATH_SHOWN_MAX ? `${path.slice(0, PATH_SHOWN_MAX)}…` : path)
