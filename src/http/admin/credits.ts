import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError, type Money, parseUsd } from '../../domain/index.ts'
import type { Entry, EntryKind } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import { creditsDoc } from './credits-doc.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { bySeq, listOf, pageQuery } from './list-of.ts'
import { once } from './once.ts'
import { readJson } from './read-json.ts'

const movement = Type.Object(
  {
    account: Type.String({ minLength: 1, description: 'Id or name.' }),
    usd: Type.String({ description: 'Dollars in decimal, at most 9 decimals; negative for an adjustment only.' }),
    kind: Type.Optional(Type.Union([Type.Literal('top_up'), Type.Literal('adjustment')])),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)

const accountWanted = Type.String({ description: 'Id or name.', examples: ['demo'] })

/** `/credits`: move money in or out of an account, and the history of it. */
export function credits(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/credits',
      async ({ body, request, set }) => {
        const kind = body.kind ?? 'top_up'
        const moved = amountOf(kind, body.usd)
        const note = body.note ?? null
        const entry = await once(deps, { request, body, set }, async ({ actor, claim }) => {
          const { account } = await findAccount(deps, body.account)
          const fields = { kind, accountId: account.id, amount: moved, note }
          const row = await deps.accounts.rows.load(account.id)
          if (row !== null) deps.ledger.open(row)
          return deps.ledger.enter({ ...fields, actor, atMs: deps.clock.wallMs() }, claim).catch(nameField)
        })
        set.status = 201
        return view(entry)
      },
      { body: movement, parse: readJson, detail: operationDoc(creditsDoc.create) },
    )
    .get(
      '/credits',
      async ({ query }) => {
        const { account } = await findAccount(deps, query.account)
        return listOf(query, bySeq, (page) => deps.store.reader.entries(account.id, page), view)
      },
      { query: Type.Object({ ...pageQuery, account: accountWanted }), detail: operationDoc(creditsDoc.list) },
    )
}

function amountOf(kind: EntryKind, usd: string): Money {
  const moved = parseUsd(usd)
  if (moved === null)
    throw new GatewayError(
      'invalid_request',
      '\'usd\' must be dollars in decimal with at most 9 decimals, such as "5.00".',
      { param: 'usd' },
    )
  if (moved === 0) throw new GatewayError('invalid_request', "'usd' must not be zero.", { param: 'usd' })
  if (moved < 0 && kind === 'top_up') {
    throw new GatewayError('invalid_request', 'A top-up cannot be negative: use an adjustment.', { param: 'usd' })
  }
  return moved
}

/** The ledger's word for it is `amount`. */
function nameField(error: unknown): never {
  if (!(error instanceof GatewayError) || error.details.param !== 'amount') throw error
  throw new GatewayError(error.code, error.message, { ...error.details, param: 'usd' })
}

const view = (entry: Entry): object => ({
  seq: entry.seq,
  kind: entry.kind,
  account_id: entry.accountId,
  ...amount('amount', entry.amount),
  ...amount('balance_after', entry.balanceAfter),
  note: entry.note,
  actor: entry.actor,
  at_ms: entry.atMs,
})
