import { GatewayError } from '../../domain/index.ts'
import type { PostingsCursor } from '../../store/index.ts'

const FORM = /^(\d{1,15})-(\d{1,15})-(\d{1,15})-(\d{1,15})$/

/** Where a list of postings stands and where it ends, as the `next` of a page. */
export const cursorText = ({ at, end }: PostingsCursor): string =>
  [at.entrySeq, at.settlementSeq, end.entrySeq, end.settlementSeq].join('-')

/** Reads one back; throws 400 for what is none. */
export function cursorOf(after: string | undefined): PostingsCursor | null {
  if (after === undefined) return null
  const [entry, settlement, entryEnd, settlementEnd] = (FORM.exec(after) ?? []).slice(1).map(Number)
  if (entry === undefined || settlement === undefined || entryEnd === undefined || settlementEnd === undefined)
    throw new GatewayError('invalid_request', "'after' must be the 'next' of the page before.", { param: 'after' })
  return {
    at: { entrySeq: entry, settlementSeq: settlement },
    end: { entrySeq: entryEnd, settlementSeq: settlementEnd },
  }
}
