/**
 * Newest first for what happens, by name for what is; `after` is the last row's cursor of the page before: the id of an account or key, the
 * `seq` of an entry or settlement in decimal, the request id of a record. At most 1,000 rows.
 */
export interface Page {
  readonly limit: number
  readonly after: string | null
}
