import { type ErrorDetails, GatewayError, type StoredKind } from '../../domain/index.ts'

/** The refusal of what the account has not. `word`: what it is called there. */
export const notStored = (
  { kind, id }: { readonly kind: StoredKind; readonly id: string },
  details?: ErrorDetails,
  word = WORDS[kind],
): GatewayError => new GatewayError('not_stored', `${word} with id '${id.slice(0, SHOWN_MAX)}' not found.`, details)

const WORDS: Readonly<Record<StoredKind, string>> = { response: 'Response', item: 'Item', file: 'File', batch: 'Batch' }
const SHOWN_MAX = 100
