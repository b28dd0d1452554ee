import { ChunkedBody } from './chunked-body.ts'
import type { ReplyHead } from './contract.ts'
import { type Framing, parseReplyHead, type UnderstoodHead } from './reply-head.ts'

/** Where the parts of an answer go. */
export interface ReplySink {
  head(head: ReplyHead): void
  /** A slice of what was pushed, never a copy. */
  body(bytes: Buffer): void
}

/** `more`: the message goes on. `complete`: its last byte is here. `invalid`: see `error`. `stopped`: `stop` was called. */
export type Progress = 'more' | 'complete' | 'invalid' | 'stopped'

const HEAD_BYTES_MAX = 64 * 1024
/** Of one answer, chunk frames left out. What readers take of an answer is bounded far below; this is the last line. */
const BODY_BYTES_MAX = 1024 ** 3
const HEAD_END = '\r\n\r\n'

/**
 * Reads one answer, strictly (RFC 9112), from bytes split anywhere. Interim answers (1xx) are passed over; together with the
 * final head they share its bound of 64 KB.
 */
export class ReplyParser {
  /** Why the message was refused. */
  error = ''
  /** Bytes came behind the message's end: the connection must not be used again. */
  hasExtra = false
  #understood: UnderstoodHead | null = null
  #isInterimKept = true
  #framing: Framing['kind'] = 'none'
  #partialHead: Buffer | null = null
  #headBytes = 0
  #leftBytes = 0
  #bodyBytes = 0
  #chunked: ChunkedBody | null = null
  #progress: Progress = 'more'

  /** The message and nothing but the message came, and its head allows another request on the connection. */
  get mayKeep(): boolean {
    return this.#progress === 'complete' && !this.hasExtra && this.#isInterimKept && this.#understood?.keep === true
  }

  /** `Keep-Alive: timeout` in ms; null when the backend did not say. */
  get keepAliveMs(): number | null {
    return this.#understood?.keepAliveMs ?? null
  }

  /** Reads the next bytes; every part found in them is given to `sink` before it returns. */
  push(bytes: Buffer, sink: ReplySink): Progress {
    if (this.#progress !== 'more') {
      if (this.#progress === 'complete') this.hasExtra = true
      return this.#progress
    }
    if (this.#understood !== null) return this.#pushBody(bytes, 0, sink)
    return this.#pushHead(bytes, sink)
  }

  /** No more bytes will come: that completes a body that ends with its connection, and cuts every other message short. */
  finish(): Progress {
    if (this.#progress === 'more') {
      if (this.#understood !== null && this.#framing === 'until_close') this.#progress = 'complete'
      else this.#fail('the connection ended before the message did')
    }
    return this.#progress
  }

  /** May be called by the sink: nothing more is given to it. */
  stop(): void {
    if (this.#progress === 'more') this.#progress = 'stopped'
  }

  #pushHead(bytes: Buffer, sink: ReplySink): Progress {
    let rest = bytes
    let searchedBytes = 0
    if (this.#partialHead !== null) {
      searchedBytes = Math.max(0, this.#partialHead.length - HEAD_END.length + 1)
      rest = Buffer.concat([this.#partialHead, bytes])
      this.#partialHead = null
    }
    for (;;) {
      const end = rest.indexOf(HEAD_END, searchedBytes, 'latin1')
      const headBytes = this.#headBytes + (end < 0 ? rest.length : end + HEAD_END.length)
      if (headBytes > HEAD_BYTES_MAX) return this.#fail(`a head of more than ${HEAD_BYTES_MAX} bytes`)
      if (end < 0) {
        if (hasBareLineEnd(rest, searchedBytes)) return this.#fail('a bare line end in the head')
        this.#partialHead = rest
        return 'more'
      }
      this.#headBytes = headBytes
      const parsed = parseReplyHead(rest.toString('latin1', 0, end))
      if (parsed.kind === 'invalid') return this.#fail(parsed.message)
      if (parsed.kind === 'final') return this.#openBody(parsed, rest, end + HEAD_END.length, sink)
      if (!parsed.keep) this.#isInterimKept = false
      rest = rest.subarray(end + HEAD_END.length)
      searchedBytes = 0
    }
  }

  #openBody(understood: UnderstoodHead, bytes: Buffer, at: number, sink: ReplySink): Progress {
    const { framing } = understood
    this.#understood = understood
    this.#framing = framing.kind
    if (framing.kind === 'length' && framing.sizeBytes > BODY_BYTES_MAX) return this.#fail(TOO_LONG)
    if (framing.kind === 'length') this.#leftBytes = framing.sizeBytes
    else if (framing.kind === 'chunked') this.#chunked = new ChunkedBody()
    sink.head(understood.head)
    if (this.#progress !== 'more') return this.#progress
    return this.#pushBody(bytes, at, sink)
  }

  #pushBody(bytes: Buffer, at: number, sink: ReplySink): Progress {
    if (this.#chunked !== null) return this.#pushChunked(this.#chunked, bytes, at, sink)
    const isOpenEnded = this.#framing === 'until_close'
    const size = isOpenEnded ? bytes.length - at : Math.min(this.#leftBytes, bytes.length - at)
    this.#leftBytes -= size
    if (isOpenEnded && this.#isTooLong(size)) return this.#fail(TOO_LONG)
    if (size > 0) sink.body(size === bytes.length ? bytes : bytes.subarray(at, at + size))
    if (this.#progress !== 'more') return this.#progress
    return !isOpenEnded && this.#leftBytes <= 0 ? this.#complete(bytes, at + size) : 'more'
  }

  #pushChunked(chunked: ChunkedBody, bytes: Buffer, at: number, sink: ReplySink): Progress {
    const end = chunked.push(
      bytes,
      at,
      (data) => {
        if (this.#isTooLong(data.length)) this.#fail(TOO_LONG)
        else sink.body(data)
      },
      () => this.#progress !== 'more',
    )
    if (this.#progress !== 'more') return this.#progress
    if (chunked.error !== null) return this.#fail(chunked.error)
    return chunked.isDone ? this.#complete(bytes, end) : 'more'
  }

  #isTooLong(sizeBytes: number): boolean {
    this.#bodyBytes += sizeBytes
    return this.#bodyBytes > BODY_BYTES_MAX
  }

  #complete(bytes: Buffer, end: number): Progress {
    this.hasExtra = end < bytes.length
    this.#progress = 'complete'
    return this.#progress
  }

  #fail(message: string): Progress {
    this.error = message
    this.#progress = 'invalid'
    return this.#progress
  }
}

const TOO_LONG = `a body of more than ${BODY_BYTES_MAX} bytes`

/** A head that ends its lines with LF alone would never end for us: it is refused at the first one instead. */
function hasBareLineEnd(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(0x0a, from); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (at === 0 || bytes[at - 1] !== 0x0d) return true
  }
  return false
}
