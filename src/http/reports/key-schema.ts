import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'

/** The fields of `limitView`. */
export const limitFields = {
  limit: fields.orNull(Type.Number(), 'Of its budgets the one that leaves least, in dollars; null: none.'),
  limit_remaining: fields.orNull(Type.Number(), 'What it leaves, in dollars.'),
  limit_reset: fields.orNull(fields.oneOf('daily', 'weekly', 'monthly'), 'When it begins anew (UTC); null: never.'),
  include_byok_in_limit: Type.Boolean({ description: "Never: what the account's own providers bill is not known." }),
  usage: fields.dollars("What its requests were charged; of the account's own credentials the fee, if there is one."),
  usage_daily: fields.dollars('Today (UTC).'),
  usage_weekly: fields.dollars('This week, from Monday.'),
  usage_monthly: fields.dollars('This month.'),
  byok_usage: fields.dollars("Always 0: what the account's own providers bill it is not known."),
  byok_usage_daily: fields.dollars('Always 0.'),
  byok_usage_weekly: fields.dollars('Always 0.'),
  byok_usage_monthly: fields.dollars('Always 0.'),
  expires_at: fields.orNull(Type.String(), 'When it ends (ISO 8601); null: never.'),
}

/** The example of them. */
export const LIMIT = {
  limit: 5,
  limit_remaining: 4.99999265,
  limit_reset: 'daily',
  include_byok_in_limit: false,
  usage: 0.00000735,
  usage_daily: 0.00000735,
  usage_weekly: 0.00000735,
  usage_monthly: 0.00000735,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  expires_at: null,
}
