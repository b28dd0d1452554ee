import type { RequestRecord, Writer } from '../store/index.ts'

/** Writes one row per request, beside the money and never in its way. */
export interface Records {
  /** Best effort: a row may be lost in a crash. Money figures are not in it; they are derived from settlements. */
  write(record: RequestRecord): void
}

const CALLER_TEXT_CHARS_MAX = 256

/** Makes the room of records over a writer. */
export function createRecords({ writer }: { readonly writer: Pick<Writer, 'record'> }): Records {
  return {
    write: (record) => writer.record(bounded(record)),
  }
}

/** What the caller named may be as large as a body: a record keeps its beginning. */
function bounded(record: RequestRecord): RequestRecord {
  const { modelAsked, clientRequestId } = record
  return { ...record, modelAsked: beginning(modelAsked), clientRequestId: beginning(clientRequestId) }
}

function beginning(text: string | null): string | null {
  if (text === null || text.length <= CALLER_TEXT_CHARS_MAX) return text
  return `${text.slice(0, CALLER_TEXT_CHARS_MAX - 1).toWellFormed()}…`
}
