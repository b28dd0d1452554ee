import type { Page } from '../../src/store/index.ts'

/** A page of rows that are in order already; a cursor that names none of them ends the list. */
export function cut<T>(rows: readonly T[], { limit, after }: Page, cursor: (row: T) => string): readonly T[] {
  if (after === null) return rows.slice(0, limit)
  const at = rows.findIndex((row) => cursor(row) === after)
  return at === -1 ? [] : rows.slice(at + 1, at + 1 + limit)
}

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

export const bySeq = ({ seq }: { readonly seq: number }): string => String(seq)

export const newestFirst = <T extends { readonly seq: number }>(rows: readonly T[]): readonly T[] =>
  [...rows].sort((one, other) => other.seq - one.seq)
