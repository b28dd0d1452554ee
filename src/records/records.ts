import type { AttemptRecord, Skip } from '../domain/index.ts'
import type { RequestRecord, Writer } from '../store/index.ts'

/** Writes one row per request, beside the money and never in its way. */
export interface Records {
  /**
   * Best effort: a row may be lost in a crash. Money figures are not in it; they are derived from settlements. `countsAlone`: nothing is kept
   * that a caller or a provider wrote.
   */
  write(record: RequestRecord, countsAlone?: boolean): void
}

const CALLER_TEXT_CHARS_MAX = 256

/** Makes the room of records over a writer. */
export function createRecords({ writer }: { readonly writer: Pick<Writer, 'record'> }): Records {
  return {
    write: (record, countsAlone = false) => writer.record(countsAlone ? bare(record) : bounded(record)),
  }
}

/** What the caller named may be as large as a body: a record keeps its beginning. */
function bounded(record: RequestRecord): RequestRecord {
  const { modelAsked, clientRequestId } = record
  if (isShort(modelAsked) && isShort(clientRequestId)) return record
  return { ...record, modelAsked: beginning(modelAsked), clientRequestId: beginning(clientRequestId) }
}

const isShort = (text: string | null): boolean => text === null || text.length <= CALLER_TEXT_CHARS_MAX

function beginning(text: string | null): string | null {
  if (text === null || isShort(text)) return text
  return `${text.slice(0, CALLER_TEXT_CHARS_MAX - 1).toWellFormed()}…`
}

/** Counts, times and money: no word of the caller's, and none of a provider's. */
function bare({ client: _, finishReason: __, stickiness: ___, ...record }: RequestRecord): RequestRecord {
  return {
    ...record,
    clientRequestId: null,
    modelAsked: record.model, // the catalogue's name of it
    skips: record.skips.map(bareSkip),
    attempts: record.attempts.map(bareAttempt),
  }
}

/** A model that is not known stands there as the caller named it: it has no backend. */
const bareSkip = (skip: Skip): Skip => (skip.backend === '' ? { ...skip, offer: '' } : skip)

/** An attempt without what its provider wrote: its own id of the request, and its code of an error, which is the reason of some outcomes. */
export function bareAttempt({ providerRequestId: _, ...attempt }: AttemptRecord): AttemptRecord {
  return WORDS_OF_PROVIDERS.has(attempt.outcome) ? { ...attempt, reason: null } : attempt
}

const WORDS_OF_PROVIDERS: ReadonlySet<AttemptRecord['outcome']> = new Set([
  'refused',
  'too_long',
  'denied',
  'throttled',
])
