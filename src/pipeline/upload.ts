import type { BodyRest } from '../agents/index.ts'
import type { FormReader } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'

/** Of a body on its way in. */
export interface ByteReader {
  read(): Promise<{ readonly done: false; readonly value: Uint8Array } | { readonly done: true }>
  cancel(): Promise<void>
}

interface UploadParts {
  readonly reader: ByteReader
  readonly form: Pick<FormReader, 'push' | 'end'>
  /** So much of the body was read before. */
  readonly readBytes: number
  /** Of the whole body; null when nobody told. */
  readonly bodyBytes: number | null
  /** Most of the whole body. */
  readonly bytesMax: number
}

/** The rest of a form, which is read no faster than a provider takes it. Nothing of it is kept: once it has begun, no other candidate can have it. */
export class Upload implements BodyRest {
  readonly bodyBytes: number | null
  /** Some of it was asked for. */
  hasBegun = false
  /** What is wrong with it, or with its sender; null: nothing, so far. */
  fault: GatewayError | null = null
  readonly #clock: Clock
  readonly #bytesMax: number
  readonly #reader: ByteReader
  readonly #form: UploadParts['form']
  #size: number
  #isWaiting = false
  #isOver = false

  constructor(clock: Clock, { reader, form, readBytes, bodyBytes, bytesMax }: UploadParts) {
    this.#clock = clock
    this.#bytesMax = bytesMax
    this.#reader = reader
    this.#form = form
    this.#size = readBytes
    this.bodyBytes = bodyBytes
  }

  /** The next bytes; null at the end. Rejects when the sender is silent for a minute, leaves, or sends what is no such form: see `fault`. */
  async read(): Promise<Uint8Array | null> {
    this.hasBegun = true
    if (this.fault !== null) throw this.fault
    const cancelTimer = this.#clock.after(BODY_MS_MAX, () => this.blameSender())
    this.#isWaiting = true
    try {
      const next = await this.#reader.read()
      if (this.fault !== null) throw this.fault
      const bytes = next.done ? null : next.value
      this.#take(bytes)
      return bytes
    } catch (error) {
      this.fault ??= error instanceof GatewayError ? error : brokenOff(error)
      this.cancel()
      throw this.fault
    } finally {
      this.#isWaiting = false
      cancelTimer()
    }
  }

  /** Time has run out: true when it was the sender who was waited for; then nothing more is read. */
  blameSender(): boolean {
    if (!this.#isWaiting) return false
    this.fault ??= tooSlow()
    this.cancel()
    return true
  }

  /** Nobody wants any more of it. */
  cancel(): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#reader.cancel().catch(() => {}) // its sender may have left
  }

  #take(bytes: Uint8Array | null): void {
    if (bytes === null) {
      this.#isOver = true
      this.#form.end()
      return
    }
    this.#size += bytes.byteLength
    if (this.#size > this.#bytesMax) throw tooLarge(this.#bytesMax)
    this.#form.push(bytes)
  }
}

const brokenOff = (error: unknown): GatewayError =>
  new GatewayError('client_closed_request', 'The caller left before all of its request had come.', {
    internal: String(error),
  })

/** A body, or the next piece of one that is passed on as it comes, may take so long. */
export const BODY_MS_MAX = 60_000

/** More than is taken. */
export const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `The request body is larger than ${bytesMax} bytes.`, {
    headers: { connection: 'close' },
  })

/** Nothing came for too long. */
export const tooSlow = (): GatewayError =>
  new GatewayError('request_timeout', `The request body did not arrive within ${BODY_MS_MAX / 1000} s.`, {
    headers: { connection: 'close' },
  })
