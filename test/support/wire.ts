import type { Socket, SocketHandler } from 'bun'

/** Lets other work run, e.g. between two writes, so that they do not leave as one. */
export const breathe = (): Promise<void> => new Promise((done) => setImmediate(done))

/** A socket with reads and writes that can be awaited. Both sides of a test speak through it. */
export class Wire {
  /** The other side's FIN or RST was seen, or we ended it. */
  isEnded = false
  endedByUs = false
  wasReset = false
  /** Resolves when the connection is over. */
  readonly ended: Promise<void>

  readonly #socket: Socket<Wire>
  readonly #onBytes: ((bytes: Buffer) => void) | undefined
  readonly #markEnded: () => void
  #unread: Buffer[] = []
  #readers: (() => void)[] = []
  #writers: (() => void)[] = []

  /** `onBytes` sees every piece as it comes from the kernel, before anyone reads it. */
  constructor(socket: Socket<Wire>, onBytes?: (bytes: Buffer) => void) {
    this.#socket = socket
    this.#onBytes = onBytes
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#markEnded = resolve
    socket.setNoDelay(true)
  }

  /** Bytes arrived; called by the socket alone. */
  feed(bytes: Buffer): void {
    const own = Buffer.from(bytes)
    this.#onBytes?.(own)
    this.#unread.push(own)
    wake(this.#readers)
  }

  /** The connection is over; called by the socket alone. */
  finish(reset: boolean): void {
    if (this.isEnded) return
    this.isEnded = true
    this.wasReset = reset
    this.#markEnded()
    wake(this.#readers)
    wake(this.#writers)
  }

  /** There is room to write again; called by the socket alone. */
  drain(): void {
    wake(this.#writers)
  }

  /** Writes all of it, at the other side's pace. False when the connection is gone. */
  async write(data: string | Uint8Array): Promise<boolean> {
    let rest = typeof data === 'string' ? Buffer.from(data) : data
    while (rest.length > 0) {
      if (this.isEnded) return false
      const written = this.#socket.write(rest)
      if (written < 0) return false
      rest = rest.subarray(written)
      if (rest.length > 0) await new Promise<void>((done) => this.#writers.push(done))
    }
    return !this.isEnded
  }

  /** FIN. What comes afterwards is answered with RST. */
  close(): void {
    this.#end(() => this.#socket.end())
  }

  /** RST. */
  reset(): void {
    this.#end(() => this.#socket.terminate())
  }

  #end(how: () => void): void {
    if (!this.isEnded) this.endedByUs = true
    how()
    this.finish(false)
  }

  /** Reads nothing more from the kernel until `resume`: the other side feels it once the buffers are full. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (!this.isEnded) this.#socket.resume()
  }

  get hasUnread(): boolean {
    return this.#unread.length > 0
  }

  /** Resolves as soon as there is something to read; false at the end of the connection. */
  async readable(): Promise<boolean> {
    while (this.#unread.length === 0) {
      if (this.isEnded) return false
      await new Promise<void>((done) => this.#readers.push(done))
    }
    return true
  }

  /** At least one byte, at most `sizeMax`; null at the end of the connection. */
  async some(sizeMax = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    await this.readable()
    const first = this.#unread.shift()
    if (first === undefined) return null
    if (first.length <= sizeMax) return first
    this.#unread.unshift(first.subarray(sizeMax))
    return first.subarray(0, sizeMax)
  }

  /** Bytes up to and with `mark`; null when the connection ends before it (what came stays unread). */
  async until(mark: string): Promise<Buffer | null> {
    let seen = Buffer.alloc(0)
    for (;;) {
      const piece = await this.some()
      if (piece === null) {
        if (seen.length > 0) this.#unread.unshift(seen)
        return null
      }
      const from = Math.max(0, seen.length - mark.length + 1)
      seen = Buffer.concat([seen, piece])
      const at = seen.indexOf(mark, from)
      if (at < 0) continue
      const end = at + mark.length
      if (end < seen.length) this.#unread.unshift(seen.subarray(end))
      return seen.subarray(0, end)
    }
  }
}

function wake(waiting: (() => void)[]): void {
  for (const done of waiting.splice(0)) done()
}

/** Socket handlers that make a `Wire` of each connection and hand it to `opened`. */
export function wireHandlers(opened: (wire: Wire) => void, onBytes?: (bytes: Buffer) => void): SocketHandler<Wire> {
  return {
    open(socket) {
      socket.data = new Wire(socket, onBytes)
      opened(socket.data)
    },
    data: (socket, bytes) => socket.data.feed(bytes),
    drain: (socket) => socket.data.drain(),
    end(socket) {
      socket.data.finish(false)
      socket.end()
    },
    close: (socket, error) => socket.data?.finish(error !== undefined && error !== null),
    error: (socket) => socket.data?.finish(true),
  }
}
