import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { completionTokens, GatewayError, promptTokens, type Usage } from '../../domain/index.ts'
import { DAY_MS, momentMs } from '../../lib/index.ts'
import type { UsageKey, UsageRow } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { activityDoc } from './activity-doc.ts'
import type { ReportDeps } from './deps.ts'
import { dollars } from './dollars.ts'
import { backendShown, HIDDEN, providerShown } from './provider-shown.ts'
import { accountOf, type ReportCaller, reportCaller } from './report-caller.ts'

const query = Type.Object({
  date: Type.Optional(Type.String({ description: 'One day (`2026-07-31`, in UTC); when absent the last 31.' })),
  api_key_hash: Type.Optional(Type.String({ description: 'Of this key alone: SHA-256 of its secret, in hex.' })),
})

const DAYS = 31

/** `GET /activity`: what was used, by day, model and provider. An ordinary key is told of its own account. */
export function activity(deps: ReportDeps) {
  return new Elysia().get(
    '/activity',
    async ({ request, query: wish }) => {
      const caller = await reportCaller(deps, request)
      const keyId = wish.api_key_hash === undefined ? null : await keyIdOf(deps, caller, wish.api_key_hash)
      const time = timeOf(deps, wish.date)
      const by = rowsBy(deps)
      const answer = await deps.store.reader.usage({ by, ...time, accountId: accountOf(caller), keyId })
      if (answer.kind === 'too_many')
        throw new GatewayError('invalid_request', 'These are more than 10000 rows: ask for one day.', { param: 'date' })
      return { data: answer.rows.flatMap((row) => view(deps, row)) }
    },
    { query, detail: operationDoc(activityDoc, { surface: 'openrouter' }) },
  )
}

/** What tells one row from another; hidden backends have one together. */
const rowsBy = ({ house }: ReportDeps): readonly UsageKey[] =>
  house.settings().replies.hideBackends ? ['day', 'model'] : ['day', 'model', 'backend']

/** Whole days: they are kept ready. */
function timeOf({ house }: ReportDeps, date: string | undefined) {
  if (date === undefined) {
    const tomorrow = Math.floor(house.clock.wallMs() / DAY_MS) + 1
    return { sinceMs: (tomorrow - DAYS) * DAY_MS, untilMs: tomorrow * DAY_MS }
  }
  const sinceMs = momentMs(date)
  if (sinceMs === null || sinceMs % DAY_MS !== 0)
    throw new GatewayError('invalid_request', "'date' must be a day, such as 2026-07-31.", { param: 'date' })
  return { sinceMs, untilMs: sinceMs + DAY_MS }
}

/** Of somebody else's key nothing is told, not even that there is one. */
async function keyIdOf({ store }: ReportDeps, caller: ReportCaller, hash: string): Promise<string> {
  const listed = await store.reader.listedKey(hash, { day: 0, week: 0, month: 0 })
  const accountId = accountOf(caller)
  if (listed !== null && (accountId === null || listed.key.accountId === accountId)) return listed.key.id
  throw new GatewayError('not_found', 'There is no key with this hash.', { param: 'api_key_hash' })
}

/** Nothing for what nobody served. */
function view(deps: ReportDeps, { keys, requests, units, charged }: UsageRow): object[] {
  const [date, model, backend = HIDDEN] = keys
  if (model === null || backend === null) return []
  const usage = Object.fromEntries(
    Object.entries(units).map(([kind, count]) => [kind, Number(count)]),
  ) as unknown as Usage
  return [
    {
      date,
      model,
      model_permaslug: model,
      endpoint_id: backendShown(deps, backend),
      provider_name: providerShown(deps, backend),
      requests: Number(requests),
      usage: dollars(charged),
      byok_usage_inference: 0, // what own providers bill is not known
      prompt_tokens: promptTokens(usage),
      completion_tokens: completionTokens(usage),
      reasoning_tokens: usage.reasoning,
    },
  ]
}
