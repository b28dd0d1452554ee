import { Elysia } from 'elysia'
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
    .onRequest(({ set }) => {
      set.headers['x-request-id'] = requestId()
    })
    .onError((failure) => errorResponse(edgeError(failure, app.routes), requestId()))
  for (const resource of [accounts, keys, credits, ledger, records, slots, models, route]) app.use(resource(deps))
  return app
}
