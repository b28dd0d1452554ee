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
  let after: string | null = null
  do {
    const words = new URLSearchParams({ ...query, limit: ROWS_PER_PAGE, ...(after === null ? {} : { after }) })
    const { data: rows, next }: z.infer<typeof page> = page.parse(await admin('GET', `${path}?${words}`))
    data.push(...rows)
    after = next
  } while (after !== null)
  return { data, has_more: false, next: null }
}
