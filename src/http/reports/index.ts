import { Elysia } from 'elysia'
import { timeOrderedId } from '../../lib/index.ts'
import { withCors } from '../cors.ts'
import { activity } from './activity.ts'
import { credits } from './credits.ts'
import type { ReportDeps } from './deps.ts'
import { generation } from './generation.ts'
import { keyInfo } from './key-info.ts'
import { keys } from './keys.ts'

export type { ReportDeps } from './deps.ts'

/**
 * What accounts are told of themselves, in the form of OpenRouter's clients, under `/api/v1`; operators are told of all accounts. Errors are
 * left to who uses it.
 */
export function createReports(deps: ReportDeps) {
  const { clock, random } = deps.house
  const app = new Elysia({ prefix: '/api/v1', normalize: false, handler: { standardHostname: false } }).onAfterHandle(
    ({ responseValue, request, set }) => {
      const answer = Response.json(responseValue, { status: Number(set.status ?? OK) })
      for (const [name, value] of Object.entries(set.headers)) answer.headers.set(name, String(value))
      answer.headers.set('x-request-id', `req_${timeOrderedId(clock.wallMs(), random)}`)
      return withCors(answer, request.headers.get('origin'), deps.cors())
    },
  )
  for (const report of [credits, keyInfo, generation, activity, keys]) app.use(report(deps))
  return app
}

const OK = 200
