/**
 * What kind of body begins with these bytes, whatever its content type says: a document (JSON, HTML) or a stream's events. `unknown` for
 * nothing but white space, which some providers send while they work.
 */
export function bodyKind(bytes: Uint8Array): 'document' | 'events' | 'unknown' {
  const first = bytes.find((byte) => byte > SPACE && !BYTE_ORDER_MARK.includes(byte))
  if (first === undefined) return 'unknown'
  return DOCUMENT_MARKS.includes(first) ? 'document' : 'events'
}

const DOCUMENT_MARKS: readonly number[] = [...'{[<'].map((mark) => mark.charCodeAt(0))
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf]
const SPACE = 0x20
