const SMALL_BYTES_MAX = 64 * 1024
/** Head and body of a small request are joined here and written with one call; what the kernel did not take is copied out. */
const scratch = Buffer.allocUnsafeSlow(SMALL_BYTES_MAX)

/** The bytes of one request on their way into one connection. The body is never copied when it is large, and never changed. */
export class OutgoingBytes {
  /** At least one byte was taken by the kernel. */
  hasBegun = false
  readonly #head: string
  readonly #body: Uint8Array | null
  #parts: Uint8Array[] = []
  #offset = 0

  /** `head` is latin1. */
  constructor(head: string, body: Uint8Array | null) {
    this.#head = head
    this.#body = body
  }

  /** Writes as much as the outlet takes. `partly`: go on with `continue` when it has drained. */
  start(outlet: Outlet): 'all' | 'partly' | 'closed' {
    const headBytes = this.#head.length
    const bodyBytes = this.#body?.byteLength ?? 0
    if (headBytes + bodyBytes > SMALL_BYTES_MAX) {
      this.#parts = [Buffer.from(this.#head, 'latin1')]
      if (this.#body !== null) this.#parts.push(this.#body)
      return this.continue(outlet)
    }
    scratch.write(this.#head, 0, 'latin1')
    if (this.#body !== null) scratch.set(this.#body, headBytes)
    const taken = outlet.write(scratch, 0, headBytes + bodyBytes)
    if (taken < 0) return 'closed'
    if (taken > 0) this.hasBegun = true
    if (taken === headBytes + bodyBytes) return 'all'
    this.#parts = [Buffer.from(scratch.subarray(taken, headBytes + bodyBytes))]
    return 'partly'
  }

  /** More to be written, once what is there has been taken. */
  add(bytes: Uint8Array): void {
    this.#parts.push(bytes)
  }

  /** Nobody wants it any more. */
  stop(): void {}

  /** Writes what is left. */
  continue(outlet: Outlet): 'all' | 'partly' | 'closed' {
    for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
      const taken = outlet.write(part, this.#offset, part.byteLength - this.#offset)
      if (taken < 0) return 'closed'
      if (taken > 0) this.hasBegun = true
      this.#offset += taken
      if (this.#offset < part.byteLength) return 'partly'
      this.#parts.shift()
      this.#offset = 0
    }
    return 'all'
  }
}

/** What takes bytes: how many were taken, -1 when it is closed. */
export interface Outlet {
  write(bytes: Uint8Array, offset: number, size: number): number
}
