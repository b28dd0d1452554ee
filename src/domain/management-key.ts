/** What a management key may do: `read` looks, `write` changes, `credits` moves money. None includes another. */
export const SCOPES = ['read', 'write', 'credits'] as const

export type Scope = (typeof SCOPES)[number]

/** The secret that an operator's program shows the admin API, as stored but for its hash. */
export interface ManagementKey {
  readonly id: string
  readonly name: string
  /** The first characters, to tell keys apart: never enough to use one. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  /** Null: never. */
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
  /** Counts the changes of the row. */
  readonly version: number
}
