import type { BudgetName, Key, KeyBudgets, Money } from '../../domain/index.ts'
import type { KeySpend } from '../../store/index.ts'

/** How often a limit begins anew, in the words of OpenRouter's clients; null: never. */
export type LimitReset = 'daily' | 'weekly' | 'monthly' | null

const RESETS = { total: null, day: 'daily', week: 'weekly', month: 'monthly' } as const satisfies Record<
  BudgetName,
  LimitReset
>
const NAMES = ['total', 'month', 'week', 'day'] as const satisfies readonly BudgetName[]

/** The one budget that clients are told of: these know of a single limit. */
export interface KeyLimit {
  readonly name: BudgetName
  readonly limit: Money
  readonly left: number
  readonly reset: LimitReset
}

/** Of a key's budgets the one that leaves least; null when it has none. */
export function keyLimit({ budgets }: Pick<Key, 'budgets'>, spend: KeySpend): KeyLimit | null {
  const limits = NAMES.flatMap((name) => {
    const limit = budgets?.[name] ?? null
    return limit === null ? [] : [{ name, limit, left: Math.max(0, limit - spend[name]), reset: RESETS[name] }]
  })
  return limits.reduce<KeyLimit | null>((least, one) => (least === null || one.left < least.left ? one : least), null)
}

/** The budgets with one limit in place of another; null takes it away. */
export function changedLimit(
  before: Pick<KeyLimit, 'name'> | null,
  after: { readonly limit: Money; readonly reset: LimitReset } | null,
): Partial<KeyBudgets> {
  const cleared = before === null ? {} : { [before.name]: null }
  if (after === null) return cleared
  const name = NAMES.find((one) => RESETS[one] === after.reset) ?? 'total'
  return { ...cleared, [name]: after.limit }
}
