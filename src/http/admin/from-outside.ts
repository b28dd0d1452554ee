import { GatewayError } from '../../domain/index.ts'
import { timeOrderedId } from '../../lib/index.ts'
import { errorResponse } from '../errors.ts'
import type { AdminDeps } from './deps.ts'
import { keyCaller, unauthorised } from './key-caller.ts'

const BEARER = /^bearer +(\S+)\s*$/i
const API_KEY = /^sk-/
const HEAD_BYTES_MAX = 32_768

/** A request that came over the network, and how long it may take. */
export interface OutsideRequest {
  readonly request: Request
  /** Called once the caller is known: verifying a large ledger takes its time. */
  liftIdleLimit(): void
}

/**
 * The way into the admin API from the network: with a management key as the bearer token, and with what its scopes allow. Everything
 * behind it is as through the socket. Answers 401 for anything else, whatever the path is.
 */
export function fromOutside(
  deps: Pick<AdminDeps, 'accounts' | 'log' | 'clock' | 'random'>,
  admin: { handle(request: Request): Promise<Response> },
): (outside: OutsideRequest) => Promise<Response> {
  return async ({ request, liftIdleLimit }) => {
    try {
      refuseLargeHead(request)
      await keyCaller(deps, request, secretIn(request))
    } catch (error) {
      const refusal =
        error instanceof GatewayError ? error : new GatewayError('internal_error', 'Something went wrong.')
      const id = `req_${timeOrderedId(deps.clock.wallMs(), deps.random)}`
      if (refusal !== error) deps.log.error('admin', { request_id: id, internal: String(error) })
      return errorResponse(refusal, id)
    }
    liftIdleLimit()
    return admin.handle(request)
  }
}

function secretIn({ headers }: Request): string {
  const secret = BEARER.exec(headers.get('authorization') ?? '')?.[1]
  if (secret === undefined)
    throw unauthorised(
      'missing_api_key',
      "The admin API takes a management key: send it as 'Authorization: Bearer ak_…'.",
    )
  if (API_KEY.test(secret))
    throw unauthorised(
      'invalid_api_key',
      "This is an API key, for /v1. The admin API takes a management key (ak_…): see 'anyrouter management-keys create'.",
    )
  return secret
}

/** Throws 431. */
export function refuseLargeHead({ headers }: Request): void {
  let bytes = 0
  headers.forEach((value, name) => {
    bytes += name.length + value.length
  })
  if (bytes > HEAD_BYTES_MAX)
    throw new GatewayError('head_too_large', `The request head is larger than ${HEAD_BYTES_MAX} bytes.`)
}
