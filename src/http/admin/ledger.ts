import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatUsd } from '../../domain/index.ts'
import type { SettlementView, VerifyReport } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { ledgerDoc } from './ledger-doc.ts'
import { bySeq, listOf, pageQuery } from './list-of.ts'
import { snakeCase } from './snake-case.ts'

const account = Type.Optional(Type.String({ description: 'Id or name: of this account alone.' }))

/** `/ledger`: settlements, open holds, and the proof that all of it adds up. */
export function ledger(deps: AdminDeps) {
  const { reader } = deps.store
  const accountIdOf = async (account: string | undefined) =>
    account === undefined ? null : (await findAccount(deps, account)).account.id
  return new Elysia()
    .get(
      '/ledger/settlements',
      async ({ query }) => {
        const accountId = await accountIdOf(query.account)
        return listOf(query, bySeq, (page) => reader.settlements(accountId, page), settlementView)
      },
      { query: Type.Object({ ...pageQuery, account }), detail: operationDoc(ledgerDoc.settlements) },
    )
    .get(
      '/ledger/holds',
      async ({ query }) => {
        const holds = await reader.holds(await accountIdOf(query.account))
        const data = holds.map((hold) => ({
          request_id: hold.requestId,
          account_id: hold.accountId,
          key_id: hold.keyId,
          opened_at_ms: hold.openedAtMs,
          ...amount('amount', hold.amount),
          offers: hold.covers.map(({ offer }) => offer),
        }))
        return { data, has_more: false, next: null }
      },
      { query: Type.Object({ account }), detail: operationDoc(ledgerDoc.holds) },
    )
    .post('/ledger/verify', async () => verifyView(await reader.verify()), {
      parse: 'none',
      detail: operationDoc(ledgerDoc.verify),
    })
}

function settlementView(row: SettlementView): object {
  return {
    seq: row.seq,
    request_id: row.requestId,
    account_id: row.accountId,
    key_id: row.keyId,
    end: row.end,
    reason: row.reason,
    usage: snakeCase(row.usage),
    usage_source: row.usageSource,
    offer: row.covered?.offer ?? null,
    backend: row.covered?.backend ?? null,
    ...amount('cost', row.cost),
    ...amount('charged', row.charged),
    ...amount('overrun', row.overrun),
    ...amount('expense', row.expense),
    ...amount('held', row.held),
    ended_at_ms: row.endedAtMs,
  }
}

const verifyView = (report: VerifyReport): object => ({
  clean: report.clean,
  faults: report.faults,
  accounts: report.accounts,
  entries: report.entries,
  settlements: report.settlements,
  open_holds: report.openHolds,
  balance_sum_usd: formatUsd(BigInt(report.balanceSum)),
  balance_sum_nano: report.balanceSum,
})
