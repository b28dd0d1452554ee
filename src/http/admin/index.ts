import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { timeOrderedId } from '../../lib/index.ts'
import { urlOf } from '../bad-host.ts'
import { edgeError, errorResponse } from '../errors.ts'
import { accounts } from './accounts.ts'
import { audit } from './audit.ts'
import { backendPath } from './backend-path.ts'
import { backends } from './backends.ts'
import { backups } from './backups.ts'
import { hasCaller, localCaller, requireScope, setCaller } from './caller.ts'
import { config } from './config.ts'
import { configReload } from './config-reload.ts'
import { credits } from './credits.ts'
import type { AdminDeps } from './deps.ts'
import { doctor } from './doctor.ts'
import { keys } from './keys.ts'
import { ledger } from './ledger.ts'
import { managementKeys } from './management-keys.ts'
import { masterKey } from './master-key.ts'
import { models } from './models.ts'
import { ownCredentials } from './own-credentials.ts'
import { quarantine } from './quarantine.ts'
import { records } from './records.ts'
import { route } from './route.ts'
import { scopeOf } from './scope-of.ts'
import { slots } from './slots.ts'
import { smoke } from './smoke.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

export type { AdminDeps, ConfigSetting, CredentialAnswer, PathChecks, ReloadOutcome } from './deps.ts'
export { fromOutside, type OutsideRequest } from './from-outside.ts'

/**
 * The admin API under `/admin/v1`. A request that no other way in has spoken for (`fromOutside`) came through `admin.sock` or from this
 * process, and may do everything. Every change is written with its row of the audit.
 */
export function createAdmin(deps: AdminDeps) {
  const requestId = () => `req_${timeOrderedId(deps.clock.wallMs(), deps.random)}`
  const local = localCaller(deps.actor)
  // Else Elysia looks for the path from the 12th character on, and misses it behind a short host (`http://gw/`).
  const app = new Elysia({ prefix: '/admin/v1', normalize: false, handler: { standardHostname: false } })
    .onRequest(({ request, set }) => {
      set.headers['x-request-id'] = requestId()
      const { pathname } = urlOf(request)
      refuseBadPath(pathname)
      if (!hasCaller(request)) setCaller(request, local)
      requireScope(request, scopeOf(request.method, pathname), 'This')
    })
    .onError((failure) => {
      const error = edgeError(failure, app.routes)
      const id = requestId()
      if (error.code === 'internal_error') deps.log.error('admin', { request_id: id, internal: error.details.internal })
      return errorResponse(error, id)
    })
  for (const resource of [
    accounts,
    keys,
    credits,
    ledger,
    backups,
    records,
    slots,
    models,
    route,
    config,
    configReload,
    managementKeys,
    audit,
    ownCredentials,
    webhooks,
    masterKey,
    backends,
    backendPath,
    quarantine,
    usage,
    doctor,
    smoke,
  ])
    app.use(resource(deps))
  return app
}

/** Elysia decodes parameters of the path itself, and what cannot be decoded would be a bug of ours. */
function refuseBadPath(pathname: string): void {
  try {
    decodeURIComponent(pathname)
  } catch {
    throw new GatewayError('invalid_request', 'The path is not validly encoded.')
  }
}
