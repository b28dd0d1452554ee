import { Type } from '@sinclair/typebox'
import { GatewayError } from '../../domain/index.ts'
import type { Page } from '../../store/index.ts'

/** What a row's cursor is, and the form by which a wrong one is told: it would find nothing, and look like the end. */
export interface Cursor<Row> {
  of(row: Row): string
  readonly form: RegExp
}

interface PageQuery {
  readonly limit?: string | undefined
  readonly after?: string | undefined
}

/** One page of a list as it is answered: `next` is the cursor of the page after it, null at the end. Throws 400 for a limit or cursor that is none. */
export async function listOf<Row>(
  query: PageQuery,
  cursor: Cursor<Row>,
  read: (page: Page) => Promise<readonly Row[]>,
  view: (row: Row) => object,
): Promise<object> {
  const { limit, after } = pageOf(query)
  if (after !== null && !cursor.form.test(after)) {
    throw new GatewayError('invalid_request', "'after' must be the 'next' of the page before.", { param: 'after' })
  }
  const rows = await read({ limit: limit + 1, after }) // one more tells whether there are more
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { data: shown.map(view), has_more: hasMore, next: hasMore ? cursor.of(last) : null }
}

/** A list that has no pages, as it is answered. */
export const wholeList = (data: readonly object[]): object => ({ data, has_more: false, next: null })

/** The form of ids that begin so. */
export const idForm = (prefix: string): RegExp => new RegExp(`^${prefix}_\\w{1,64}$`)

/** Rows that are found by their number. */
export const bySeq: Cursor<{ readonly seq: number }> = { of: ({ seq }) => String(seq), form: /^\d{1,15}$/ }

/** Query of every list. */
export const pageQuery = {
  limit: Type.Optional(Type.String({ description: 'How many rows, 1 to 200 (50 when absent).' })),
  after: Type.Optional(Type.String({ description: '`next` of the page before.' })),
}

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

function pageOf(query: PageQuery): Page {
  const { limit: given = String(LIMIT_DEFAULT) } = query
  const limit = Number(given)
  if (!/^\d{1,4}$/.test(given) || limit < 1 || limit > LIMIT_MAX) {
    throw new GatewayError('invalid_request', `'limit' must be a whole number from 1 to ${LIMIT_MAX}.`, {
      param: 'limit',
    })
  }
  return { limit, after: query.after ?? null }
}
