/** A document without the byte order mark that some servers put before it: clients pass over it, readers of JSON do not. */
export const withoutMark = (body: Uint8Array): Uint8Array =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(MARK_BYTES) : body

const MARK_BYTES = 3
