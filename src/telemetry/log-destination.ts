import { write, writeSync } from 'node:fs'
import { type CancelTimer, type Clock, delay, errorCode } from '../lib/index.ts'

/** Where lines go. */
export interface LogDestination {
  write(line: string): void
  /** Resolves when everything is written, or after a second. */
  flush(): Promise<void>
  /** Writes what waits before it returns; what cannot be written is dropped. */
  flushSync(): void
  /** Lines that could not be kept or written, so far. */
  readonly droppedLines: number
}

export interface BufferedDestinationOptions {
  /** An open file descriptor: 1 is stdout. */
  readonly fd: number
  readonly clock: Clock
  /** How much may wait to be written. */
  readonly bufferBytesMax?: number
}

const BUFFER_BYTES_MAX = 4 * 1024 * 1024
const BATCH_BYTES = 16 * 1024
const BATCH_MS = 200
const FLUSH_MS_MAX = 1000
const RETRY_MS = 20
const SYNC_TRIES_MAX = 50_000

/**
 * Makes a destination that no request waits for: lines are collected (16 KB or 200 ms) and written off the main thread. Beyond `bufferBytesMax`,
 * and when a write fails (full disk, a reader who left), lines are dropped and counted.
 */
export function bufferedDestination(options: BufferedDestinationOptions): LogDestination {
  return new BufferedDestination(options)
}

class BufferedDestination implements LogDestination {
  readonly #fd: number
  readonly #clock: Clock
  readonly #bufferBytesMax: number
  #lines: string[] = []
  #linesBytes = 0
  #batchBytes = 0
  #cancelBatch: CancelTimer | null = null
  #idleWaiters: (() => void)[] = []
  droppedLines = 0

  constructor({ fd, clock, bufferBytesMax = BUFFER_BYTES_MAX }: BufferedDestinationOptions) {
    this.#fd = fd
    this.#clock = clock
    this.#bufferBytesMax = bufferBytesMax
  }

  write(line: string): void {
    const sizeBytes = Buffer.byteLength(line)
    if (this.#batchBytes + this.#linesBytes + sizeBytes > this.#bufferBytesMax) {
      this.droppedLines += 1
      return
    }
    this.#lines.push(line)
    this.#linesBytes += sizeBytes
    if (this.#linesBytes >= BATCH_BYTES) this.#startBatch()
    else this.#cancelBatch ??= this.#clock.after(BATCH_MS, () => this.#batchDue())
  }

  async flush(): Promise<void> {
    const idle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
    this.#startBatch()
    await Promise.race([idle, delay(this.#clock, FLUSH_MS_MAX)])
  }

  flushSync(): void {
    const { batch, count } = this.#takeLines()
    try {
      this.#writeAllNow(batch)
    } catch {
      this.droppedLines += count
    }
  }

  #takeLines(): { batch: Buffer; count: number } {
    this.#cancelBatch?.()
    this.#cancelBatch = null
    const taken = { batch: Buffer.from(this.#lines.join('')), count: this.#lines.length }
    this.#lines = []
    this.#linesBytes = 0
    return taken
  }

  #batchDue(): void {
    this.#cancelBatch = null
    this.#startBatch()
  }

  /** One write at a time, so that lines keep their order. */
  #startBatch(): void {
    if (this.#batchBytes > 0) return
    const { batch, count } = this.#takeLines()
    this.#batchBytes = batch.length
    this.#continue(batch, count)
  }

  #continue(rest: Buffer, count: number): void {
    if (rest.length === 0) {
      this.#endBatch()
      return
    }
    write(this.#fd, rest, 0, rest.length, null, (error, written) => {
      if (!error) this.#continue(rest.subarray(written), count)
      else if (error.code === 'EAGAIN') this.#clock.after(RETRY_MS, () => this.#continue(rest, count))
      else {
        this.droppedLines += count
        this.#endBatch()
      }
    })
  }

  #endBatch(): void {
    this.#batchBytes = 0
    const isDue = this.#cancelBatch === null || this.#linesBytes >= BATCH_BYTES || this.#idleWaiters.length > 0
    if (this.#linesBytes > 0) {
      if (isDue) this.#startBatch()
      return
    }
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  /** A pipe that is not being read (EAGAIN) is tried again for a while; every other error is the caller's. */
  #writeAllNow(batch: Buffer): void {
    let written = 0
    for (let tries = 0; written < batch.length; tries++) {
      try {
        written += writeSync(this.#fd, batch, written)
      } catch (error) {
        if (errorCode(error) !== 'EAGAIN' || tries > SYNC_TRIES_MAX) throw error
      }
    }
  }
}
