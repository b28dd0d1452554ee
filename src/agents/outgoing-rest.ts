import type { BodyRest } from './contract.ts'

/** A body on its way that nobody has whole: with its length told ahead, or in chunks (RFC 9112, 7.1). */
export class OutgoingRest {
  /** Some of it was asked for: the request cannot be sent once more. */
  hasBegun = false
  /** All of it was read. */
  isDone = false
  isReading = false
  readonly #rest: BodyRest
  readonly #isChunked: boolean
  #leftBytes: number

  /** `beforeBytes` of the body come before it. */
  constructor(rest: BodyRest, beforeBytes: number) {
    this.#rest = rest
    this.#isChunked = rest.bodyBytes === null
    this.#leftBytes = (rest.bodyBytes ?? Number.POSITIVE_INFINITY) - beforeBytes
  }

  /** Bytes of the body as they go on the wire. */
  framed(bytes: Uint8Array): Uint8Array {
    return this.#isChunked ? chunkOf(bytes) : bytes
  }

  /** The next bytes as they go on the wire. Rejects for a body that is longer or shorter than was told, and when it breaks off. */
  async read(): Promise<Uint8Array> {
    this.hasBegun = true
    this.isReading = true
    try {
      const bytes = await this.#rest.read()
      if (bytes !== null) return this.#counted(bytes)
      this.isDone = true
      if (!this.#isChunked && this.#leftBytes > 0) throw new Error('it is shorter than its length')
      return this.#isChunked ? LAST_CHUNK : NOTHING
    } finally {
      this.isReading = false
    }
  }

  #counted(bytes: Uint8Array): Uint8Array {
    if (bytes.byteLength > this.#leftBytes) throw new Error('it is longer than its length')
    this.#leftBytes -= bytes.byteLength
    return this.framed(bytes)
  }
}

/** One without bytes would be the last. */
const chunkOf = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === 0
    ? NOTHING
    : Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, LINE_END])

const NOTHING = new Uint8Array(0)
const LINE_END = Buffer.from('\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
