/**
 * Cuts a byte stream into server-sent events (WHATWG HTML, 9.2), split anywhere, with LF, CRLF or lone CR. Pulled by its
 * user: `push` bytes, then call `next` until it says false; each time the event stands at `[start, end)` of `bytes`, its blank
 * line included, and is to be used before the next call. The bytes pushed are not kept: what is incomplete is copied.
 *
 * The usual event, one `data:` line and a blank line, is seen at once: then `dataStart` is not negative and the data
 * stands at `[dataStart, dataEnd)`. Any other is for `sseEvent`.
 */
export class SseSplitter {
  start = 0
  end = 0
  dataStart = -1
  dataEnd = -1
  readonly #eventBytesMax: number
  #bytes: Buffer = EMPTY
  #length = 0 // of what is filled of `#bytes`
  #at = 0 // where the next event begins
  #lineStart = 0
  #scanned = 0 // up to here no line of the next event ends
  #own = false // `#bytes` is ours to write into
  #hasReturn = false // a CR is among the bytes
  #ended = false

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax
  }

  /** What the event found by `next` stands in. */
  get bytes(): Buffer {
    return this.#bytes
  }

  push(chunk: Uint8Array): void {
    this.#hasReturn = (this.#hasReturn && this.#at < this.#length) || chunk.includes(RETURN)
    if (this.#at === this.#length) {
      this.#bytes = asBuffer(chunk)
      this.#own = false
      this.#length = chunk.length
      this.#startAt(0)
    } else this.#append(chunk)
  }

  /** No more bytes will come: what is left is an event too, even without its blank line. */
  finish(): void {
    this.#ended = true
  }

  /** Finds the next whole event; false when more bytes are needed. Throws `SseOverflow` for an event beyond the bound. */
  next(): boolean {
    this.#skipBlankLines()
    const end = this.#eventEnd()
    const size = (end < 0 ? this.#length : end) - this.#at
    if (size > this.#eventBytesMax) throw new SseOverflow(this.#eventBytesMax)
    if (end < 0) {
      this.#keepRest()
      return false
    }
    this.start = this.#at
    this.end = end
    this.#startAt(end)
    return true
  }

  /** Blank lines before an event say nothing. A LF that comes alone after a CR of an earlier chunk goes here too. */
  #skipBlankLines(): void {
    let at = this.#at
    while (at < this.#length && isLineEnd(this.#bytes[at])) at++
    if (at !== this.#at) this.#startAt(at)
  }

  /** Where the event that begins at `#at` ends; -1 while that is unknown. Looks at no byte twice, however small the chunks are. */
  #eventEnd(): number {
    if (this.#at === this.#length) return -1
    for (;;) {
      const lineEnd = this.#lineEnd()
      if (lineEnd < 0) break
      const after = this.#afterLineEnd(lineEnd)
      if (after === this.#length) break // a blank line, or the other half of a CRLF, may follow
      if (isLineEnd(this.#bytes[after])) {
        this.#noteData(lineEnd)
        return this.#afterLineEnd(after)
      }
      this.#lineStart = after
      this.#scanned = after
    }
    if (!this.#ended) return -1
    this.dataStart = -1
    return this.#length
  }

  /** The line end at or behind `#scanned`, which is moved up to it; -1 when none is there yet. */
  #lineEnd(): number {
    const bytes = this.#bytes
    let at = this.#scanned
    if (this.#hasReturn) while (at < this.#length && !isLineEnd(bytes[at])) at++
    else {
      at = bytes.indexOf(LINE_FEED, at)
      if (at < 0 || at > this.#length) at = this.#length
    }
    this.#scanned = at
    return at < this.#length ? at : -1
  }

  #afterLineEnd(lineEnd: number): number {
    const isPair =
      this.#bytes[lineEnd] === RETURN && lineEnd + 1 < this.#length && this.#bytes[lineEnd + 1] === LINE_FEED
    return lineEnd + (isPair ? 2 : 1)
  }

  /** The event ends behind the line `[#lineStart, lineEnd)`: is that its only line, and one of data? */
  #noteData(lineEnd: number): void {
    const bytes = this.#bytes
    const at = this.#at
    const isData =
      this.#lineStart === at &&
      bytes[at] === 0x64 &&
      bytes[at + 1] === 0x61 &&
      bytes[at + 2] === 0x74 &&
      bytes[at + 3] === 0x61 &&
      bytes[at + 4] === COLON
    this.dataStart = isData ? at + (bytes[at + 5] === SPACE ? 6 : 5) : -1
    this.dataEnd = lineEnd
  }

  #startAt(at: number): void {
    this.#at = at
    this.#lineStart = at
    this.#scanned = at
  }

  #keepRest(): void {
    if (this.#own || this.#at === this.#length) return
    this.#moveTo(Buffer.allocUnsafe(Math.max(KEPT_BYTES_MIN, 2 * (this.#length - this.#at))))
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length
    if (needed > this.#bytes.length) {
      const size = needed - this.#at
      this.#moveTo(this.#own && size * 2 <= this.#bytes.length ? this.#bytes : Buffer.allocUnsafe(size * 2))
    }
    this.#bytes.set(chunk, this.#length)
    this.#length += chunk.length
  }

  /** Brings what is left to the start of `target`, which may be the same memory. */
  #moveTo(target: Buffer): void {
    const shift = this.#at
    this.#bytes.copy(target, 0, shift, this.#length)
    this.#bytes = target
    this.#own = true
    this.#length -= shift
    this.#at = 0
    this.#lineStart -= shift
    this.#scanned -= shift
  }
}

/** An event is larger than the splitter takes. */
export class SseOverflow extends Error {
  override name = 'SseOverflow'

  constructor(eventBytesMax: number) {
    super(`an event is larger than ${eventBytesMax} bytes`)
  }
}

const EMPTY = Buffer.alloc(0)
const KEPT_BYTES_MIN = 1024
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const COLON = 0x3a

const isLineEnd = (byte: number | undefined): boolean => byte === LINE_FEED || byte === RETURN

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
