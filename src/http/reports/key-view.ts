import { type Key, type Money, money } from '../../domain/index.ts'
import type { KeySpend, ListedKey } from '../../store/index.ts'
import { dollars } from './dollars.ts'
import { keyLimit } from './key-limit.ts'

/** A key as it is listed. */
export function keyView(listed: ListedKey): object {
  const { key, hash, createdAtMs, spend } = listed
  return {
    hash,
    name: key.name,
    label: key.prefix,
    key_prefix: key.prefix,
    disabled: key.disabled || key.revoked,
    active: !key.disabled && !key.revoked,
    can_reveal: false,
    ...limitView(key, spend),
    created_at: isoOf(createdAtMs),
    updated_at: null,
    creator_user_id: null,
    external_user: null,
    workspace_id: key.accountId,
  }
}

/** What both `/key` and `/keys` tell of a key: its limit, and what it spent. */
export function limitView(key: Pick<Key, 'budgets' | 'expiresAtMs'>, spend: KeySpend): object {
  const limit = keyLimit(key, spend)
  return {
    limit: limit === null ? null : dollars(limit.limit),
    limit_remaining: limit === null ? null : dollars(money(limit.left)),
    limit_reset: limit?.reset ?? null,
    include_byok_in_limit: false,
    ...spendView(spend),
    expires_at: key.expiresAtMs === null ? null : isoOf(key.expiresAtMs),
  }
}

/** What providers bill an account for its own credentials is not known here. */
function spendView({ total, day, week, month }: KeySpend): object {
  const ours = (amount: Money): number => dollars(amount)
  return {
    usage: ours(total),
    usage_daily: ours(day),
    usage_weekly: ours(week),
    usage_monthly: ours(month),
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
  }
}

/** A moment as these reports tell it. */
export const isoOf = (ms: number): string => new Date(ms).toISOString()
