import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { ZstdFrames } from './zstd-frames.ts'

/**
 * Unpacks one encoded body as it comes: what a packet completes is given out before the next one, so that a flushed event waits for
 * nothing. Strict: a body that ends early, goes on behind its end, fails its checksum, or unpacks to far more than any honest one is
 * `broken`. After `broken`, `complete` or `stop` nothing is told any more.
 */
export class Unpacker {
  readonly #encoding: PackedEncoding
  readonly #sink: UnpackSink
  readonly #frames: ZstdFrames | null
  #decoder: Decoder | null = null
  #packedBytes = 0
  #unpackedBytes = 0
  #isOver = false
  #isPaused = false

  constructor(encoding: PackedEncoding, sink: UnpackSink) {
    this.#encoding = encoding
    this.#sink = sink
    this.#frames = encoding === 'zstd' ? new ZstdFrames() : null
  }

  /** Takes the next bytes of the body; they must not change afterwards. False: no more, please, until `ready`. */
  push(bytes: Uint8Array): boolean {
    const [first] = bytes
    if (this.#isOver || first === undefined) return true
    this.#packedBytes += bytes.byteLength
    this.#frames?.push(bytes)
    this.#decoder ??= this.#open(first)
    return this.#decoder.write(bytes)
  }

  /** The body has come to its end. A body without a byte is an empty one. */
  finish(): void {
    if (this.#isOver) return
    if (this.#decoder !== null) this.#decoder.end()
    else {
      this.#isOver = true
      this.#sink.complete()
    }
  }

  /** Gives nothing out until `resume`. */
  pause(): void {
    this.#isPaused = true
    this.#decoder?.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#isOver) this.#decoder?.resume()
  }

  /** What is still inside is dropped. */
  stop(): void {
    this.#isOver = true
    this.#decoder?.destroy()
  }

  #open(firstByte: number): Decoder {
    const decoder = decoderOf(this.#encoding, firstByte)
    const heard = (tell: () => void) => () => {
      if (!this.#isOver) tell()
    }
    decoder.on('data', (bytes: Uint8Array) => {
      if (!this.#isOver) this.#take(bytes)
    })
    decoder.on(
      'drain',
      heard(() => this.#sink.ready()),
    )
    decoder.on(
      'end',
      heard(() => this.#ended(decoder)),
    )
    decoder.on('error', (error) => {
      if (!this.#isOver) this.#break(`is broken (${error.message})`)
    })
    if (this.#isPaused) decoder.pause()
    return decoder
  }

  #take(bytes: Uint8Array): void {
    this.#unpackedBytes += bytes.byteLength
    if (this.#unpackedBytes > FREE_BYTES && this.#unpackedBytes > this.#packedBytes * RATIO_MAX)
      this.#break(`unpacks to more than ${RATIO_MAX} times its size`)
    else this.#sink.unpacked(bytes)
  }

  /** The decoders end in silence where something follows the end, and zstd's also where the end is missing. */
  #ended(decoder: Decoder): void {
    if (this.#frames?.isWhole === false) this.#break('is cut short')
    else if (decoder.bytesWritten < this.#packedBytes) this.#break('goes on behind its end')
    else {
      this.#isOver = true
      this.#sink.complete()
    }
  }

  #break(what: string): void {
    this.stop()
    this.#sink.broken(`the body's encoding (${this.#encoding}) ${what}`)
  }
}

/** The encodings that are read, by their names in `content-encoding` (RFC 9110, 8.4.1; RFC 7932; RFC 9659). */
export type PackedEncoding = 'gzip' | 'deflate' | 'br' | 'zstd'

export interface UnpackSink {
  unpacked(bytes: Uint8Array): void
  /** The body was unpacked to its end. */
  complete(): void
  broken(message: string): void
  /** More is taken again. */
  ready(): void
}

type Decoder = Transform & zlib.Zlib

// JSON and event streams come to 3-30 times their packed size. deflate cannot do more than 1,032 times, br and zstd can do any.
const RATIO_MAX = 256
const FREE_BYTES = 1024 * 1024
/** RFC 9659: 8 MB is the most that a sender may ask of a receiver. */
const ZSTD_WINDOW_LOG_MAX = 23
const ZLIB_METHOD = 0x08

/** `deflate` is zlib's format, but several servers send it without zlib's header (RFC 9110, 8.4.1.2): the first byte tells. */
function decoderOf(encoding: PackedEncoding, firstByte: number): Decoder {
  const { Z_SYNC_FLUSH, ZSTD_d_windowLogMax } = zlib.constants
  switch (encoding) {
    case 'gzip':
      return zlib.createGunzip({ flush: Z_SYNC_FLUSH })
    case 'deflate':
      return (firstByte & 0x0f) === ZLIB_METHOD
        ? zlib.createInflate({ flush: Z_SYNC_FLUSH })
        : zlib.createInflateRaw({ flush: Z_SYNC_FLUSH })
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zlib.createZstdDecompress({ params: { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })
  }
}
