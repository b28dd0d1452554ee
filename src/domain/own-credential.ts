import type { BackendId, OperatorCredential } from './catalogue.ts'

/** A credential that an account brings itself (BYOK), as stored but for its secret. */
export interface OwnCredential {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  /** Unique among the account's credentials of this provider. */
  readonly name: string
  /** The account's own place that it is used at, without a slash at its end; null: it is used at the provider's backends. Never changed. */
  readonly baseUrl: string | null
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

/** An own credential as it is shown to its provider: in memory alone, and never logged. */
export interface OwnSecret extends OperatorCredential {
  readonly accountId: string
  readonly provider: string
  readonly baseUrl: string | null
  /** Its secret as it is on disk: what a provider said of another says nothing of this one. */
  readonly sealed: string
  /** As it was read; health knows what came since. In wall time. */
  readonly fault: CredentialFault | null
}

/** What a request is sent with tells whose it is. */
export const isOwn = (credential: OperatorCredential): credential is OwnSecret => 'sealed' in credential

/**
 * The id that an account's own place has as a backend. No configuration has a backend of such an id, so nobody but the account's own requests goes
 * there, and they go by the checked way out.
 */
export const ownPlaceId = ({ id }: Pick<OwnCredential, 'id'>): BackendId => `${OWN_PLACE}${id}`

/** Whether the id of a backend, or of an offer of it, is of an account's own place. */
export const isOwnPlace = (id: string): boolean => id.startsWith(OWN_PLACE)

const OWN_PLACE = 'own:'

/** The newest that is known against a credential with this sealed secret; null: nothing. */
export interface FoundFault {
  readonly id: string
  readonly sealed: string
  readonly fault: CredentialFault | null
}

/** Whether a request goes on with the operator's credentials when none of the account's own has served it. */
export type ByokFallback = 'shared' | 'never'
