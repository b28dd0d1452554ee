import type { BackendId, ModelId } from './catalogue.ts'

/** Kinds of things that providers keep. An item is one of a response. */
export type StoredKind = 'response' | 'item' | 'file' | 'batch'

/** Where something is found that a provider keeps for an account: at the backend that made it, with the credential that it was made with. */
export interface KeptPlace {
  readonly backend: BackendId
  /** Its id; null: none was shown. */
  readonly credential: string | null
  /** It is the account's own. */
  readonly isOwn: boolean
}

/** Something that a provider keeps for an account. Nobody else may ask for it. */
export interface StoredThing extends KeptPlace {
  readonly accountId: string
  /** The provider's own. */
  readonly id: string
  readonly kind: StoredKind
  /** As the caller named it; null: it belongs to none. */
  readonly model: ModelId | null
  /** What the provider said of it last: of files and batches, where the account lets it be kept; of responses and their items, how many `tokens` they are. */
  readonly told: Readonly<Record<string, unknown>> | null
  readonly createdAtMs: number
  /** When the provider will have forgotten it; null: not before it is deleted. */
  readonly untilMs: number | null
}
