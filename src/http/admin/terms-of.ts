import { type Static, Type } from '@sinclair/typebox'
import {
  type BudgetName,
  formatUsd,
  GatewayError,
  type Key,
  type KeyBudgets,
  type KeyLimits,
  type KeyTermsChange,
  type Money,
  parseUsd,
} from '../../domain/index.ts'
import { defined, parseAddressRange } from '../../lib/index.ts'
import { optionalOrNull } from '../document/open-object.ts'
import type { AdminDeps } from './deps.ts'
import { modelIds } from './model-ids.ts'
import { policyFields, policyOf, policyView } from './policy-of.ts'
import { refusePast } from './refuse-past.ts'

/** What a body asks for, checked. Throws 400 with the field, 404 for a model that is none. */
export function termsOf(deps: AdminDeps, body: TermsBody): KeyTermsChange {
  const { disabled, models, expires_at_ms: expiresAtMs, addresses } = body
  refusePast(expiresAtMs, deps.clock.wallMs(), ' To end a key now, revoke it.')
  return {
    ...defined({
      disabled,
      models: models && modelIds(deps, models),
      expiresAtMs,
      addresses: addresses === null ? null : addresses?.map(addressRange),
    }),
    ...budgetsOf(body),
    ...limitsOf(body),
    ...policyOf(deps, body),
  }
}

/** What a key may do, as it is shown. */
export function termsView({ disabled, models, expiresAtMs, addresses, budgets, limits, policy }: Key): object {
  return {
    disabled,
    models,
    expires_at_ms: expiresAtMs,
    addresses,
    ...Object.fromEntries(BUDGETS.map((name) => [`budget_${name}_usd`, usdOf(budgets?.[name] ?? null)])),
    requests_per_minute: limits?.requestsPerMinute ?? null,
    tokens_per_minute: limits?.tokensPerMinute ?? null,
    concurrency: limits?.concurrency ?? null,
    ...policyView(policy),
  }
}

const count = () => Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })
const budget = (what: string) =>
  optionalOrNull(
    Type.String({ maxLength: 32 }),
    `The most that its requests may be charged ${what}, in decimal dollars; null: any amount.`,
  )

/** The models that may be used, as a field of a body. */
export const modelsField = {
  models: optionalOrNull(
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 }),
    'Ids or aliases of the models it may use; null: all. A router model stands for what it chooses, where it is asked for itself.',
  ),
}

/** What a key may do, as fields of a body: absent leaves it as it is, null takes the bound away. */
export const termsFields = {
  disabled: Type.Optional(Type.Boolean({ description: 'Whether it is refused for now.' })),
  ...modelsField,
  expires_at_ms: optionalOrNull(
    Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 }),
    'When it ends, in ms since 1970; null: never.',
  ),
  addresses: optionalOrNull(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1000 }),
    'Where it may be used from: addresses, or ranges in CIDR notation; null: from anywhere.',
  ),
  budget_total_usd: budget('in all'),
  budget_day_usd: budget('in a day (UTC)'),
  budget_week_usd: budget('in a week (from Monday, UTC)'),
  budget_month_usd: budget('in a month (UTC)'),
  requests_per_minute: optionalOrNull(count(), 'Requests in any minute; null: any number.'),
  tokens_per_minute: optionalOrNull(count(), 'Tokens of prompts and answers in any minute; null: any number.'),
  concurrency: optionalOrNull(count(), 'Requests in progress at once; null: any number.'),
  ...policyFields,
}

const termsBody = Type.Object(termsFields)
type TermsBody = Static<typeof termsBody>

/** The budgets of a key, in the order in which they are told. */
export const BUDGETS = ['total', 'day', 'week', 'month'] as const satisfies readonly BudgetName[]

const usdOf = (amount: Money | null): string | null => (amount === null ? null : formatUsd(amount))

function addressRange(text: string): string {
  if (parseAddressRange(text) !== null) return text
  throw new GatewayError(
    'invalid_request',
    "'addresses' must be addresses or ranges in CIDR notation, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.",
    { param: 'addresses' },
  )
}

function budgetsOf(body: TermsBody): Pick<KeyTermsChange, 'budgets'> {
  const named = BUDGETS.flatMap((name) => {
    const usd = body[`budget_${name}_usd`]
    return usd === undefined ? [] : [[name, usd === null ? null : budgetOf(name, usd)] as const]
  })
  const budgets: Partial<KeyBudgets> = Object.fromEntries(named)
  return named.length === 0 ? {} : { budgets }
}

function budgetOf(name: BudgetName, usd: string): Money {
  const amount = parseUsd(usd)
  if (amount !== null && amount >= 0) return amount
  const param = `budget_${name}_usd`
  throw new GatewayError(
    'invalid_request',
    `'${param}' must be dollars in decimal with at most 9 decimals, such as "5.00", and not negative.`,
    { param },
  )
}

function limitsOf(body: TermsBody): Pick<KeyTermsChange, 'limits'> {
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, concurrency } = body
  const limits: Partial<KeyLimits> = defined({ requestsPerMinute, tokensPerMinute, concurrency })
  return Object.keys(limits).length === 0 ? {} : { limits }
}
