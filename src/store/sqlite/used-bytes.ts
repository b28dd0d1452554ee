import type { Database } from 'bun:sqlite'

const SQL = `SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size`

/** How many bytes of a database are in use: without what was freed. */
export const usedBytes = (db: Database): number => db.prepare<{ bytes: number }, []>(SQL).get()?.bytes ?? 0
