import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { timeOrderedId } from '../../lib/index.ts'
import { edgeError, errorResponse } from '../errors.ts'
import { accounts } from './accounts.ts'
import { credits } from './credits.ts'
import type { AdminDeps } from './deps.ts'
import { keys } from './keys.ts'
import { ledger } from './ledger.ts'
import { models } from './models.ts'
import { records } from './records.ts'
import { route } from './route.ts'
import { slots } from './slots.ts'

export type { AdminDeps } from './deps.ts'

/** The admin API under `/admin/v1`, reached through `admin.sock` alone, or in this process. */
export function createAdmin(deps: AdminDeps) {
  const requestId = () => `req_${timeOrderedId(deps.clock.wallMs(), deps.random)}`
  const app = new Elysia({ prefix: '/admin/v1', normalize: false })
    .onRequest(({ request, set }) => {
      set.headers['x-request-id'] = requestId()
      refuseBadPath(request)
    })
    .onError((failure) => {
      const error = ownError(failure.error) ?? edgeError(failure, app.routes)
      const id = requestId()
      if (error.code === 'internal_error') deps.log.error('admin', { request_id: id, internal: error.details.internal })
      return errorResponse(error, id)
    })
  for (const resource of [accounts, keys, credits, ledger, records, slots, models, route]) app.use(resource(deps))
  return app
}

/** Elysia decodes parameters of the path itself, and what cannot be decoded would be a bug of ours. */
function refuseBadPath(request: Request): void {
  try {
    decodeURIComponent(new URL(request.url).pathname)
  } catch {
    throw new GatewayError('invalid_request', 'The path is not validly encoded.')
  }
}

/** What `readJson` threw: Elysia wraps it. */
function ownError(error: unknown): GatewayError | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof GatewayError ? cause : null
}
