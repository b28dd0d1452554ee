import type { ReplyHead } from '../../agents/index.ts'

/**
 * What kind of body begins with these bytes, whatever its content type says: a document (JSON, HTML) or a stream's events. `unknown` for
 * nothing but white space, which some providers send while they work.
 */
export function bodyKind(bytes: Uint8Array): 'document' | 'events' | 'unknown' {
  const first = bytes.find((byte) => byte > SPACE && !BYTE_ORDER_MARK.includes(byte))
  if (first === undefined) return 'unknown'
  return DOCUMENT_MARKS.includes(first) ? 'document' : 'events'
}

/** The same of a body that was asked for as bytes of a medium: any may begin it, so its content type says. */
export const mediumKind = (head: ReplyHead): 'document' | 'medium' =>
  DOCUMENT_TYPE.test(mediaTypeOf(head)) ? 'document' : 'medium'

/** It says that it is a stream of events. */
export const isEvents = (head: ReplyHead): boolean => /^text\/event-stream/i.test(mediaTypeOf(head))

/** Any 2xx: what serves and what is paid is decided by the body. */
export const isSuccess = ({ status }: ReplyHead): boolean => status >= 200 && status < 300

/** The content type of an answer; that of any bytes, or `otherwise`, when it has none. */
export const mediaTypeOf = ({ headers }: ReplyHead, otherwise = 'application/octet-stream'): string =>
  headers.find(([name]) => name === 'content-type')?.[1] ?? otherwise

const DOCUMENT_TYPE = /^(application\/([a-z.+-]*\+)?json|text\/)/i
const DOCUMENT_MARKS: readonly number[] = [...'{[<'].map((mark) => mark.charCodeAt(0))
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf]
const SPACE = 0x20
