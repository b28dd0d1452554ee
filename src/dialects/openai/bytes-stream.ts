import type { ReplyStream, StreamEvent } from '../dialect.ts'

/** An answer that is bytes of a medium: they go on as they come, and are whole when the provider's body is. */
export function openBytesStream(): ReplyStream {
  let size = 0
  let ended = false
  return {
    push(bytes) {
      size += bytes.length
      return bytes.length === 0 ? [] : [{ kind: 'content', bytes: Buffer.from(bytes) } satisfies StreamEvent]
    },
    end() {
      ended = true
      return []
    },
    closing: () => NOTHING,
    usage: null,
    textBytes: 0,
    get finished() {
      return ended && size > 0
    },
    closed: false,
  }
}

const NOTHING = new Uint8Array(0)
