/** Whether a body begins with a line of an event or a comment: no document begins so. */
export function beginsAsStream(body: Uint8Array): boolean {
  if (body[0] === OPEN_BRACE) return false
  const start = Buffer.from(body.subarray(0, START_BYTES)).toString('latin1')
  return /^(\xef\xbb\xbf)?\s*(data|event|id|retry)?:/.test(start)
}

const START_BYTES = 256
const OPEN_BRACE = 0x7b
