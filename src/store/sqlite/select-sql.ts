import type { UsageQuery } from '../backends-contract.ts'

/** The keys of what was found, each as `by_<key>`. */
export type FoundKeys = Readonly<Record<string, bigint | string | null>>

/** Sums by keys, each of which the first columns are: one row without any. */
export function selectSql(
  from: string,
  keys: readonly string[],
  sums: readonly string[],
  where: readonly string[],
): string {
  return `SELECT ${[...keys, ...sums].join(', ')} FROM ${from} WHERE ${where.join(' AND ')}
    GROUP BY ${keys.length === 0 ? 'NULL' : places(keys.length)}`
}

/** The first so many columns, by their places. */
export const places = (count: number): string => Array.from({ length: count }, (_, at) => at + 1).join(', ')

type Whose = Pick<UsageQuery, 'accountId' | 'keyId'>

/** Whose usage is asked for, as conditions of columns that settlements, roll-ups and requests all have. */
export const whoseSql = ({ accountId, keyId }: Whose): string[] => [
  ...(accountId === null ? [] : ['account_id = ?']),
  ...(keyId === null ? [] : ['key_id = ?']),
]

/** The values of those. */
export const whose = ({ accountId, keyId }: Whose): string[] => [accountId, keyId].filter((id) => id !== null)
