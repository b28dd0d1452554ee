import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { dayOf } from '../../domain/index.ts'
import { accountIdOf } from '../admin/find-account.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { creditsDoc } from './credits-doc.ts'
import type { ReportDeps } from './deps.ts'
import { dollars } from './dollars.ts'
import { accountOf, reportCaller } from './report-caller.ts'

const query = Type.Object({
  account: Type.Optional(
    Type.String({ description: 'For a management key: id or name of an account. All of them when absent.' }),
  ),
})

/** `GET /credits`: what an account has. OpenRouter's form and AnyRouter's in one; an ordinary key is told of its own account. */
export function credits(deps: ReportDeps) {
  return new Elysia().get(
    '/credits',
    async ({ request, query: { account } }) => {
      const caller = await reportCaller(deps, request)
      const named = caller.kind === 'operator' && account !== undefined
      const accountId = named ? await accountIdOf(deps, account) : accountOf(caller)
      const { reader } = deps.store
      const { credited, balance, promo, spentOnDay } = await reader.accountFigures(
        accountId,
        dayOf(deps.house.clock.wallMs()),
      )
      const used = dollars(credited - balance)
      return {
        data: { total_credits: dollars(credited), total_usage: used },
        balance: dollars(balance),
        monthly_balance: dollars(promo),
        topup_balance: dollars(balance - promo),
        used,
        today_cost: dollars(spentOnDay),
        currency: 'usd',
      }
    },
    { query, detail: operationDoc(creditsDoc, { surface: 'openrouter' }) },
  )
}
