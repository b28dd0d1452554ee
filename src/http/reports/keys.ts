import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { budgetDays, GatewayError, type KeyTermsChange, type Money, parseUsd } from '../../domain/index.ts'
import { defined, momentMs } from '../../lib/index.ts'
import type { ListedKey } from '../../store/index.ts'
import { hashKey, newKeySecret } from '../../vault/index.ts'
import { byCaller } from '../admin/caller.ts'
import { accountIdOf, accountIdOrNull } from '../admin/find-account.ts'
import { nameOf } from '../admin/name-of.ts'
import { onceWithSecret } from '../admin/once.ts'
import { optionalOrNull } from '../document/open-object.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { ReportDeps } from './deps.ts'
import { changedLimit, keyLimit, type LimitReset } from './key-limit.ts'
import { keyView } from './key-view.ts'
import { keysDoc } from './keys-doc.ts'
import { operatorCaller, operatorJson } from './report-caller.ts'

const terms = {
  limit: optionalOrNull(
    Type.Number({ minimum: 0 }),
    'The most that its requests may be charged, in dollars; null: any amount.',
  ),
  limit_reset: optionalOrNull(
    Type.Union([Type.Literal('daily'), Type.Literal('weekly'), Type.Literal('monthly')]),
    'How often the limit begins anew: daily, weekly, monthly; null: never.',
  ),
  include_byok_in_limit: Type.Optional(
    Type.Boolean({ description: "Only false: what the account's own providers bill is not known." }),
  ),
}
const expiry = optionalOrNull(
  Type.String({ maxLength: 64 }),
  'When it ends: a time with its zone (ISO 8601); null: never.',
)
const name = Type.String({ minLength: 1, maxLength: 128 })

const newKey = Type.Object(
  {
    name,
    account: Type.Optional(
      Type.String({ minLength: 1, description: 'Id or name of the account that pays; needed when there are several.' }),
    ),
    workspace_id: Type.Optional(
      Type.String({ minLength: 1, description: 'As `account`, for clients that know it by this name.' }),
    ),
    ...terms,
    expires_at: expiry,
  },
  { additionalProperties: false },
)
const keyChange = Type.Object(
  {
    name: Type.Optional(name),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether it is refused for now.' })),
    ...terms,
    expires_at: expiry,
  },
  { additionalProperties: false, minProperties: 1 },
)

const listQuery = Type.Object({
  offset: Type.Optional(Type.String({ description: 'How many to leave out: pages have 100 keys.' })),
  include_disabled: Type.Optional(
    Type.String({ description: '`true`: with those that are disabled or were revoked.' }),
  ),
  account: Type.Optional(Type.String({ description: 'Id or name: of this account alone.' })),
  workspace_id: Type.Optional(Type.String({ description: 'As `account`.' })),
})

/** `/keys`: OpenRouter's provisioning API over the same keys as the admin API's. With a management key. */
export function keys(deps: ReportDeps) {
  const since = () => budgetDays(deps.house.clock.wallMs())
  return new Elysia()
    .get(
      '/keys',
      async ({ request, query }) => {
        await operatorCaller(deps, request, 'read')
        const accountId = await accountIdOrNull(deps, query.account ?? query.workspace_id)
        const withDisabled = query.include_disabled === 'true'
        const wish = { accountId, withDisabled, offset: offsetOf(query.offset), since: since() }
        return { data: (await deps.store.reader.listedKeys(wish)).map(keyView) }
      },
      { query: listQuery, detail: operationDoc(keysDoc.list, { surface: 'openrouter' }) },
    )
    .post(
      '/keys',
      async ({ request, body, set }) => {
        const once = { store: deps.store, clock: deps.house.clock, vault: deps.vault }
        const fresh = newKeySecret(deps.house.random)
        const made = await onceWithSecret(once, { request, body, set }, fresh, async (by, secret) => {
          const accountId = await accountFor(deps, body.account ?? body.workspace_id)
          const wish = { accountId, name: nameOf(body.name), ...termsOf(deps, body, null), secret }
          return (await deps.accounts.createKey(wish, by)).key
        })
        set.status = 201
        return { data: keyView(await findListed(deps, hashKey(made.secret))), key: made.secret }
      },
      {
        body: newKey,
        parse: operatorJson(deps, 'write'),
        detail: operationDoc(keysDoc.create, { surface: 'openrouter' }),
      },
    )
    .get(
      '/keys/:hash',
      async ({ request, params }) => {
        await operatorCaller(deps, request, 'read')
        return { data: keyView(await findListed(deps, params.hash)) }
      },
      { detail: operationDoc(keysDoc.show, { surface: 'openrouter' }) },
    )
    .patch(
      '/keys/:hash',
      async ({ request, params, body }) => {
        const listed = await findListed(deps, params.hash)
        refuseRevival(listed, body.disabled)
        const name = body.name === undefined ? undefined : nameOf(body.name)
        const change = { ...defined({ name, disabled: body.disabled }), ...termsOf(deps, body, listed) }
        await deps.accounts.updateKey({ id: listed.key.id, change, version: null }, byCaller(request))
        return { data: keyView(await findListed(deps, params.hash)) }
      },
      {
        body: keyChange,
        parse: operatorJson(deps, 'write'),
        detail: operationDoc(keysDoc.update, { surface: 'openrouter' }),
      },
    )
    .delete(
      '/keys/:hash',
      async ({ request, params }) => {
        await operatorCaller(deps, request, 'write')
        const { key } = await findListed(deps, params.hash)
        await deps.accounts.revokeKey(key.id, byCaller(request))
        return { deleted: true }
      },
      { parse: 'none', detail: operationDoc(keysDoc.remove, { surface: 'openrouter' }) },
    )
}

async function findListed({ store, house }: ReportDeps, hash: string): Promise<ListedKey> {
  const listed = await store.reader.listedKey(hash, budgetDays(house.clock.wallMs()))
  if (listed !== null) return listed
  throw new GatewayError('not_found', `There is no key with the hash '${hash.slice(0, 64)}'.`, { param: 'hash' })
}

/** Who pays for a new key: a client that knows of one account alone names none. */
async function accountFor(deps: ReportDeps, named: string | undefined): Promise<string> {
  if (named !== undefined) return accountIdOf(deps, named)
  const [only, another] = await deps.store.reader.accounts({ limit: 2, after: null })
  if (only !== undefined && another === undefined) return only.account.id
  throw new GatewayError('invalid_request', "Say in 'account' which account pays for the key, by its id or name.", {
    param: 'account',
  })
}

const OFFSET = /^\d{1,9}$/

function offsetOf(text = '0'): number {
  if (OFFSET.test(text)) return Number(text)
  throw new GatewayError('invalid_request', "'offset' must be a whole number.", { param: 'offset' })
}

type Terms = Pick<Static<typeof keyChange>, 'limit' | 'limit_reset' | 'include_byok_in_limit' | 'expires_at'>

/** What a body asks for, laid over what the key has. Throws 400 with the field. */
function termsOf(deps: ReportDeps, body: Terms, listed: ListedKey | null): KeyTermsChange {
  if (body.include_byok_in_limit === true)
    throw new GatewayError(
      'invalid_request',
      "'include_byok_in_limit' can only be false: what the account's own providers bill is not known here.",
      { param: 'include_byok_in_limit' },
    )
  const { expires_at: expiresAt } = body
  return {
    ...budgetsOf(body, listed),
    ...(expiresAt === undefined ? {} : { expiresAtMs: expiresAt === null ? null : expiryOf(deps, expiresAt) }),
  }
}

function budgetsOf({ limit, limit_reset: reset }: Terms, listed: ListedKey | null): Pick<KeyTermsChange, 'budgets'> {
  if (limit === undefined && reset === undefined) return {}
  const before = listed === null ? null : keyLimit(listed.key, listed.spend)
  const amount: Money | null = limit === undefined ? (before?.limit ?? null) : limit === null ? null : moneyOf(limit)
  if (amount === null && (reset ?? null) !== null)
    throw new GatewayError('invalid_request', "'limit_reset' needs a 'limit'.", { param: 'limit_reset' })
  const wanted: LimitReset = reset === undefined ? (before?.reset ?? null) : reset
  return { budgets: changedLimit(before, amount === null ? null : { limit: amount, reset: wanted }) }
}

const DECIMALS = 9 // a nano-dollar

function moneyOf(limit: number): Money {
  const amount = parseUsd(limit.toFixed(DECIMALS))
  if (amount !== null) return amount
  throw new GatewayError('invalid_request', "'limit' is out of range.", { param: 'limit' })
}

function expiryOf({ house }: ReportDeps, text: string): number {
  const atMs = momentMs(text)
  if (atMs !== null && atMs > house.clock.wallMs()) return atMs
  throw new GatewayError(
    'invalid_request',
    atMs === null
      ? "'expires_at' must be a time with its zone, such as 2027-01-31T12:00:00Z."
      : "'expires_at' is in the past. To end a key now, delete it.",
    { param: 'expires_at' },
  )
}

/** A key that was revoked stays so. */
function refuseRevival({ key }: ListedKey, disabled: boolean | undefined): void {
  if (disabled !== false || !key.revoked) return
  throw new GatewayError('conflict', 'The key was revoked, for good. Make a new one.', { param: 'disabled' })
}
