/**
 * Follows the frames of a zstd body (RFC 8878, 3.1) by their sizes alone, split anywhere, and so knows whether it is whole: the decoder
 * takes a body that is cut short for an empty or a complete one.
 */
export class ZstdFrames {
  #state: State = 'magic'
  #wantedBytes = MAGIC_BYTES
  /** Of the field being read; little endian, at most four bytes matter. */
  #value = 0
  #shift = 0
  #hasChecksum = false
  #isLast = false
  #hasBegun = false

  /** At least one frame came, and the last one to its end. */
  get isWhole(): boolean {
    return this.#hasBegun && this.#state === 'magic' && this.#wantedBytes === MAGIC_BYTES
  }

  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'skip') {
        const size = Math.min(this.#wantedBytes, bytes.length - at)
        this.#wantedBytes -= size
        at += size
      } else {
        this.#value += (bytes[at] ?? 0) * 2 ** this.#shift
        this.#shift += 8
        this.#wantedBytes--
        at++
      }
      while (this.#wantedBytes === 0) this.#next()
    }
  }

  /** A field is complete: what comes behind it? */
  #next(): void {
    const value = this.#value
    if (this.#state === 'magic') this.#frameBegins(value)
    else if (this.#state === 'skippable_size') this.#skip(value, true)
    else if (this.#state === 'descriptor') this.#header(value)
    else if (this.#state === 'block') this.#block(value)
    else if (this.#isLast) this.#frameEnds()
    else this.#want('block', BLOCK_HEADER_BYTES)
  }

  #frameBegins(magic: number): void {
    this.#hasBegun = true
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) this.#want('skippable_size', 4)
    else this.#want('descriptor', 1)
  }

  /** What stands between descriptor and blocks: window, dictionary, content size (RFC 8878, 3.1.1.1). */
  #header(descriptor: number): void {
    const sizeFlag = descriptor >> 6
    const isSingleSegment = (descriptor & 0x20) !== 0
    this.#hasChecksum = (descriptor & 0x04) !== 0
    const contentSizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 2 ** sizeFlag
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03] ?? 0
    this.#skip((isSingleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes, false)
  }

  #block(header: number): void {
    const isRunLength = ((header >> 1) & 0x03) === 1
    const isLast = (header & 1) === 1
    const sizeBytes = isRunLength ? 1 : header >>> 3
    this.#skip(sizeBytes + (isLast && this.#hasChecksum ? CHECKSUM_BYTES : 0), isLast)
  }

  #frameEnds(): void {
    this.#isLast = false
    this.#want('magic', MAGIC_BYTES)
  }

  #skip(sizeBytes: number, isLast: boolean): void {
    this.#isLast = isLast
    this.#want('skip', sizeBytes)
  }

  #want(state: State, sizeBytes: number): void {
    this.#state = state
    this.#wantedBytes = sizeBytes
    this.#value = 0
    this.#shift = 0
  }
}

type State = 'magic' | 'skippable_size' | 'descriptor' | 'block' | 'skip'

const MAGIC_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const CHECKSUM_BYTES = 4
const SKIPPABLE = 0x184d2a50
