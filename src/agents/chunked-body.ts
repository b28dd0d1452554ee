type State = 'size' | 'extension' | 'size_end' | 'data' | 'data_cr' | 'data_lf' | Trailer | 'done'
type Trailer = 'line_start' | 'name' | 'value' | 'line_end' | 'last_lf'

const CR = 0x0d
const LF = 0x0a
const COLON = 0x3a
const SEMICOLON = 0x3b
const SIZE_DIGITS_MAX = 12
const SIZE_LINE_BYTES_MAX = 4 * 1024
const TRAILER_BYTES_MAX = 16 * 1024

/** Hex digit -> value, everything else -> -1. */
const HEX = new Int8Array(256).fill(-1)
for (let value = 0; value < 16; value++) {
  HEX[value.toString(16).charCodeAt(0)] = value
  HEX[value.toString(16).toUpperCase().charCodeAt(0)] = value
}
/** 1 for the bytes of a token (RFC 9110, 5.6.2). */
const TOKEN = new Uint8Array(256)
for (const letter of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  TOKEN[letter.charCodeAt(0)] = 1
}

/**
 * Takes a chunked body apart (RFC 9112, 7.1), one packet after the other, split anywhere. Extensions are passed over,
 * trailers are checked and dropped. Bounds: 12 hex digits, 4 KB for a size line, 16 KB for all trailers.
 */
export class ChunkedBody {
  /** Why the body was refused; null as long as it is sound. */
  error: string | null = null
  #state: State = 'size'
  #sizeBytes = 0
  #digits = 0
  #lineBytes = 0

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /**
   * Reads `bytes` from `at` and hands on the data as slices without copying. Answers where it stopped: behind the message's
   * last byte, at the first wrong byte (`error` is set), where `hasStopped` turned true, or at the end of `bytes`.
   */
  push(bytes: Buffer, at: number, give: (data: Buffer) => void, hasStopped: () => boolean): number {
    while (at < bytes.length && this.#state !== 'done' && this.error === null) {
      if (this.#state !== 'data') {
        this.#take(bytes[at] ?? 0)
        at++
        continue
      }
      const end = Math.min(bytes.length, at + this.#sizeBytes)
      this.#sizeBytes -= end - at
      if (this.#sizeBytes === 0) this.#state = 'data_cr'
      give(bytes.subarray(at, end))
      at = end
      if (hasStopped()) break
    }
    return at
  }

  /** One byte of the frame around the data. */
  #take(byte: number): void {
    const state = this.#state
    if (state === 'size') this.#takeSize(byte)
    else if (state === 'extension') this.#takeExtension(byte)
    else if (state === 'size_end') this.#takeSizeEnd(byte)
    else if (state === 'data_cr') this.#expect(byte, CR, 'data_lf', 'a chunk is longer than its size')
    else if (state === 'data_lf') this.#expect(byte, LF, 'size', 'a chunk does not end with a line end')
    else this.#takeTrailer(byte)
  }

  #takeSize(byte: number): void {
    const value = HEX[byte] ?? -1
    if (value >= 0) {
      if (++this.#digits > SIZE_DIGITS_MAX) this.error = `a chunk size of more than ${SIZE_DIGITS_MAX} digits`
      this.#sizeBytes = this.#sizeBytes * 16 + value
      this.#lineBytes++
    } else if (this.#digits === 0) this.error = 'a chunk without a size'
    else if (byte === CR) this.#state = 'size_end'
    else if (byte === SEMICOLON) this.#state = 'extension'
    else this.error = 'a chunk size that is not hexadecimal'
  }

  #takeExtension(byte: number): void {
    if (byte === CR) this.#state = 'size_end'
    else if (isControl(byte)) this.error = 'a control character in a chunk extension'
    else if (++this.#lineBytes > SIZE_LINE_BYTES_MAX)
      this.error = `a chunk line of more than ${SIZE_LINE_BYTES_MAX} bytes`
  }

  #takeSizeEnd(byte: number): void {
    this.#expect(byte, LF, this.#sizeBytes === 0 ? 'line_start' : 'data', 'a chunk size does not end with a line end')
    this.#digits = 0
    this.#lineBytes = 0
  }

  /** From here on `#lineBytes` counts all trailers. */
  #takeTrailer(byte: number): void {
    if (++this.#lineBytes > TRAILER_BYTES_MAX) this.error = `trailers of more than ${TRAILER_BYTES_MAX} bytes`
    else if (this.#state === 'last_lf') this.#expect(byte, LF, 'done', 'the last chunk does not end with an empty line')
    else if (this.#state === 'line_end') this.#expect(byte, LF, 'line_start', 'a trailer does not end with a line end')
    else if (this.#state === 'value') {
      if (byte === CR) this.#state = 'line_end'
      else if (isControl(byte)) this.error = 'a control character in a trailer'
    } else if (this.#state === 'line_start' && byte === CR) this.#state = 'last_lf'
    else if (this.#state === 'name' && byte === COLON) this.#state = 'value'
    else if (TOKEN[byte] === 1) this.#state = 'name'
    else this.error = 'a trailer is folded or its name is not a token'
  }

  #expect(byte: number, wanted: number, next: State, message: string): void {
    if (byte === wanted) this.#state = next
    else this.error = message
  }
}

const isControl = (byte: number): boolean => (byte < 0x20 && byte !== 0x09) || byte === 0x7f
