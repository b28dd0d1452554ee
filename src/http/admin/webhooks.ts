import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { newWebhookSecret, webhookSecretOwner } from '../../accounts/index.ts'
import { GatewayError } from '../../domain/index.ts'
import { type By, changeNote, type Webhook, type WebhookEvent } from '../../store/index.ts'
import { optionalOrNull } from '../document/open-object.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { positiveAmount } from './enter-money.ts'
import { accountIdOf } from './find-account.ts'
import { bySeq, listOf, pageQuery } from './list-of.ts'
import { once, onceWithSecret } from './once.ts'
import { readJson } from './read-json.ts'
import { webhooksDoc } from './webhooks-doc.ts'

const wish = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'https, public.' }),
    low_balance_usd: optionalOrNull(
      Type.String(),
      'A balance below this is told, in decimal dollars. Null or absent: none is.',
    ),
    new_secret: Type.Optional(Type.Boolean({ description: 'Take another secret, which is shown once.' })),
  },
  { additionalProperties: false },
)

/** `/accounts/{account}/webhook`: where an account is told of its money. Set (its secret is shown once), show, try, remove; its events. */
export function webhooks(deps: AdminDeps) {
  const { reader, writer } = deps.store
  const noteOf = (by: By, action: string, subject: string, details = {}) =>
    changeNote(by, { atMs: deps.clock.wallMs(), action: `webhook.${action}`, subject, details })
  return new Elysia()
    .put(
      '/accounts/:account/webhook',
      async ({ body, params, request, set }) => {
        const url = placeOf(deps, body.url)
        const low = body.low_balance_usd ?? null
        const lowBalance = low === null ? null : positiveAmount('adjustment', low, 'low_balance_usd')
        const accountId = await accountIdOf(deps, params.account)
        const fresh = newWebhookSecret(deps.random)
        const { answer, secret } = await onceWithSecret(deps, { request, body, set }, fresh, async (by, known) => {
          const isNew = body.new_secret === true || (await reader.webhook(accountId)) === null
          const sealed = isNew ? deps.vault.seal(known, webhookSecretOwner(accountId)) : null
          const note = noteOf(by, 'set', accountId, { url, low_balance_nano: lowBalance, new_secret: isNew })
          return writer.setWebhook({ accountId, url, lowBalance, sealed, updatedAtMs: deps.clock.wallMs() }, note)
        })
        return { ...webhookView(answer), ...(answer.hasNewSecret ? { secret } : {}) }
      },
      { body: wish, parse: readJson, detail: operationDoc(webhooksDoc.set) },
    )
    .get(
      '/accounts/:account/webhook',
      async ({ params }) => {
        const found = await reader.webhook(await accountIdOf(deps, params.account))
        if (found === null) throw new GatewayError('not_found', 'The account has no webhook.', { param: 'account' })
        return webhookView(found)
      },
      { detail: operationDoc(webhooksDoc.show) },
    )
    .delete(
      '/accounts/:account/webhook',
      async ({ params, request }) => {
        const accountId = await accountIdOf(deps, params.account)
        await writer.removeWebhook(accountId, noteOf(byCaller(request), 'remove', accountId))
        return { account_id: accountId, deleted: true }
      },
      { parse: 'none', detail: operationDoc(webhooksDoc.remove) },
    )
    .post(
      '/accounts/:account/webhook/test',
      async ({ params, request, set }) => {
        const accountId = await accountIdOf(deps, params.account)
        const event = await once(deps, { request, body: null, set }, (by) =>
          writer.testWebhook(accountId, deps.clock.wallMs(), noteOf(by, 'test', accountId)),
        )
        set.status = 201
        return eventView(event)
      },
      { parse: 'none', detail: operationDoc(webhooksDoc.test) },
    )
    .get(
      '/accounts/:account/webhook/events',
      async ({ params, query }) => {
        const accountId = await accountIdOf(deps, params.account)
        return listOf(query, bySeq, (page) => reader.events(accountId, page), eventView)
      },
      { query: Type.Object(pageQuery), detail: operationDoc(webhooksDoc.events) },
    )
}

/** The refusal does not repeat it: a user and a password may stand in it. */
function placeOf({ placeRefusal }: AdminDeps, url: string): string {
  const reason = placeRefusal(url)
  if (reason === null) return url
  throw new GatewayError('invalid_request', `'url' cannot be used: ${reason}.`, { param: 'url' })
}

const webhookView = ({ accountId, url, lowBalance, updatedAtMs }: Webhook): object => ({
  account_id: accountId,
  url,
  ...amount('low_balance', lowBalance),
  updated_at_ms: updatedAtMs,
})

const eventView = (event: WebhookEvent): object => ({
  seq: event.seq,
  id: event.id,
  account_id: event.accountId,
  type: event.kind,
  data: event.data,
  created_at_ms: event.createdAtMs,
  state: event.state,
  tries: event.tries,
  next_at_ms: event.nextAtMs,
  fault: event.fault,
})
