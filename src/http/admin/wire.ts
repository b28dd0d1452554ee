import { Type } from '@sinclair/typebox'
import { formatUsd, GatewayError, type Money, type Usage } from '../../domain/index.ts'
import type { Page } from '../../store/index.ts'

/** Query of every list. */
export const pageQuery = {
  limit: Type.Optional(Type.String({ description: 'How many rows, 1 to 200 (50 when absent).' })),
  after: Type.Optional(Type.String({ description: '`next` of the page before.' })),
}

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

/** The page a query asks for. Throws 400 for a limit that is none. */
export function pageOf(query: { readonly limit?: string | undefined; readonly after?: string | undefined }): Page {
  const limit = query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new GatewayError('invalid_request', `'limit' must be a whole number from 1 to ${LIMIT_MAX}.`, {
      param: 'limit',
    })
  }
  return { limit, after: query.after ?? null }
}

/** A list as it is answered: `next` is the cursor of the page after this one, null at the end. */
export function listOf<Row>(
  rows: readonly Row[],
  page: Page,
  cursor: (row: Row) => string,
  view: (row: Row) => object,
): object {
  const last = rows.at(-1)
  const hasMore = rows.length === page.limit && last !== undefined
  return { data: rows.map(view), has_more: hasMore, next: hasMore ? cursor(last) : null }
}

/** An amount under two names: decimal dollars for people, integer nano-dollars for programs. */
export const amount = (name: string, nanoDollars: Money): Record<string, string | number> => ({
  [`${name}_usd`]: formatUsd(nanoDollars),
  [`${name}_nano`]: nanoDollars,
})

/** Units by kind, in snake case. */
export const usageView = (usage: Usage): object => ({
  input: usage.input,
  cached_input: usage.cachedInput,
  cache_write: usage.cacheWrite,
  output: usage.output,
  reasoning: usage.reasoning,
})

/** Field names of plain values, objects and lists in snake case. */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCase(field),
    ]),
  )
}
