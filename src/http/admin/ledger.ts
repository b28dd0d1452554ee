import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Hold, money } from '../../domain/index.ts'
import type { PostingRow, SettlementView } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import { cursorOf, cursorText } from './cursor-text.ts'
import type { AdminDeps } from './deps.ts'
import { accountIdOrNull } from './find-account.ts'
import { ledgerDoc } from './ledger-doc.ts'
import { bySeq, listOf, pageQuery, wholeList } from './list-of.ts'
import { snakeCase } from './snake-case.ts'
import { verifyView } from './verify-view.ts'

const POSTINGS_AT_ONCE = 1000

const account = Type.Optional(Type.String({ description: 'Id or name: of this account alone.' }))

/** `/ledger`: settlements, open holds, and the proof that all of it adds up. */
export function ledger(deps: AdminDeps) {
  const { reader } = deps.store
  return new Elysia()
    .get(
      '/ledger/settlements',
      async ({ query }) => {
        const accountId = await accountIdOrNull(deps, query.account)
        return listOf(query, bySeq, (page) => reader.settlements(accountId, page), settlementView)
      },
      { query: Type.Object({ ...pageQuery, account }), detail: operationDoc(ledgerDoc.settlements) },
    )
    .get(
      '/ledger/holds',
      async ({ query }) => {
        const holds = await reader.holds(await accountIdOrNull(deps, query.account))
        return wholeList(holds.map(holdView))
      },
      { query: Type.Object({ account }), detail: operationDoc(ledgerDoc.holds) },
    )
    .get(
      '/ledger/postings',
      async ({ query }) => {
        const { rows, next } = await reader.postings({ limit: POSTINGS_AT_ONCE, after: cursorOf(query.after) })
        return { data: rows.map(postingView), has_more: next !== null, next: next === null ? null : cursorText(next) }
      },
      { query: Type.Object({ after: pageQuery.after }), detail: operationDoc(ledgerDoc.postings) },
    )
    .post('/ledger/verify', async () => verifyView(await reader.verify()), {
      parse: 'none',
      detail: operationDoc(ledgerDoc.verify),
    })
}

const holdView = ({ requestId, accountId, keyId, openedAtMs, amount: held, covers }: Hold): object => ({
  request_id: requestId,
  account_id: accountId,
  key_id: keyId,
  opened_at_ms: openedAtMs,
  ...amount('amount', held),
  offers: covers.map(({ offer }) => offer),
})

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

function postingView({ source, seq, kind, atMs, side, accountId, keyId, requestId, nano, note }: PostingRow): object {
  return {
    source,
    seq,
    kind,
    at_ms: atMs,
    side,
    account_id: accountId,
    key_id: keyId,
    request_id: requestId,
    ...amount('amount', money(nano)),
    note,
  }
}
