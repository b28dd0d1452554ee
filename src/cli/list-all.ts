import { z } from 'zod'
import type { Client } from './client.ts'

/** A list as the admin interface answers it, whole. */
export interface WholeList {
  readonly data: readonly unknown[]
  readonly has_more: false
  readonly next: null
}

const page = z.object({ data: z.array(z.unknown()), next: z.string().nullable() })
const ROWS_PER_PAGE = '200'

/** Every row of a list, page by page. */
export async function listAll(admin: Client, path: string, query: Record<string, string> = {}): Promise<WholeList> {
  const data: unknown[] = []
  for await (const rows of pagesOf(admin, path, { ...query, limit: ROWS_PER_PAGE })) data.push(...rows)
  return { data, has_more: false, next: null }
}

/** The pages of a list, each asked for when the one before was taken. */
export async function* pagesOf(
  admin: Client,
  path: string,
  query: Record<string, string> = {},
): AsyncGenerator<readonly unknown[]> {
  let after: string | null = null
  do {
    const words = new URLSearchParams({ ...query, ...(after === null ? {} : { after }) })
    const { data, next }: z.infer<typeof page> = page.parse(await admin('GET', `${path}?${words}`))
    yield data
    after = next
  } while (after !== null)
}
