/** A credential that an account brings itself (BYOK), as stored but for its secret. */
export interface OwnCredential {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  /** Unique among the account's credentials of this provider. */
  readonly name: string
  /** The end of its secret, to tell credentials apart. */
  readonly hint: string
  readonly enabled: boolean
  readonly fault: CredentialFault | null
  /** Counts the changes of the row. */
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Why a credential is not used now. Its provider said so, and no backend is blamed for it. */
export interface CredentialFault {
  readonly cause: string
  readonly reason: string | null
  readonly sinceMs: number
  /** Null: until its secret is changed. */
  readonly untilMs: number | null
}
