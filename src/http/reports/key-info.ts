import { Elysia } from 'elysia'
import { type AccountContext, budgetDays, dayOf, type Key, type ManagementKey, ZERO } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { ReportDeps } from './deps.ts'
import { keyInfoDoc } from './key-info-doc.ts'
import { limitView } from './key-view.ts'
import { reportCaller } from './report-caller.ts'

const NO_SPEND = { total: ZERO, day: ZERO, week: ZERO, month: ZERO }

/** `GET /key` and `GET /auth/key`: what the key that asks may do, and what it spent. */
export function keyInfo(deps: ReportDeps) {
  const answer = async (request: Request): Promise<object> => {
    const caller = await reportCaller(deps, request)
    return { data: caller.kind === 'operator' ? ofOperator(caller.key) : await ofAccount(deps, caller.context) }
  }
  return new Elysia()
    .get('/key', ({ request }) => answer(request), {
      detail: operationDoc(keyInfoDoc, { surface: 'openrouter' }),
    })
    .get('/auth/key', ({ request }) => answer(request), {
      detail: operationDoc(keyInfoDoc, { surface: 'openrouter' }),
    })
}

async function ofAccount({ store, house }: ReportDeps, { account, key }: AccountContext): Promise<object> {
  const nowMs = house.clock.wallMs()
  const [spend, figures] = await Promise.all([
    store.reads.keySpend(key.id, budgetDays(nowMs)),
    store.reader.accountFigures(account.id, dayOf(nowMs)),
  ])
  const isFree = account.kind === 'prepaid' && figures.credited <= 0n
  return {
    ...shared(key),
    ...limitView(key, spend),
    is_free_tier: isFree,
    ...marks(false),
    rate_limit: rateOf(key),
    ...unlimited,
    workspace_id: account.id,
  }
}

/** It pays for nothing itself. */
function ofOperator(key: ManagementKey): object {
  const limits = limitView({ budgets: null, expiresAtMs: key.expiresAtMs }, NO_SPEND)
  return {
    ...shared(key),
    ...limits,
    is_free_tier: false,
    ...marks(true),
    rate_limit: NO_RATE,
    ...unlimited,
    workspace_id: null,
  }
}

const shared = ({ name, prefix }: Pick<Key, 'name' | 'prefix'>) => ({ label: prefix, name })
const marks = (isOperator: boolean) => ({
  is_management_key: isOperator,
  is_provisioning_key: isOperator,
  creator_user_id: null,
})

/** What the gateway has no such limits of; OpenRouter's SDK takes no answer without them. */
const unlimited = {
  free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
  allowed_data_regions: [],
  organization_id: null,
}

const NO_RATE = { requests: -1, interval: '1m', note: 'requests per minute; -1: not limited' }
const rateOf = ({ limits }: Key): object => ({ ...NO_RATE, requests: limits?.requestsPerMinute ?? -1 })
