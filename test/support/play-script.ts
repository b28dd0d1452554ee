import { headerValues } from './http-message.ts'
import type { Step } from './script.ts'
import { breathe, type Wire } from './wire.ts'

const MANY_WRITES_FROM = 1000 // `times` above this: many frames a write; the frames stay the same
const BATCH_BYTES = 1 << 16

export interface PlayOptions {
  /** Called at a gate; the promise resolves when it is released. */
  readonly gate: (name: string) => Promise<void>
  /** Pause between two steps that send, so that the other side reads them one by one. */
  readonly apartMs?: number
}

/** Plays one script on one connection, until its end or the connection's. True when the connection stays open for the next request. */
export async function playScript(wire: Wire, steps: readonly Step[], options: PlayOptions): Promise<boolean> {
  const player = new Player(wire, options)
  for (const [at, step] of steps.entries()) {
    if (wire.isEnded) return false
    const goesOn = await player.play(step, steps[at + 1])
    if (!goesOn) return false
  }
  return !wire.isEnded && !player.closesAfter
}

const sends = (step: Step | undefined): boolean => step?.send !== undefined || step?.send_b64 !== undefined

class Player {
  closesAfter = false
  #chunked = false
  readonly #wire: Wire
  readonly #options: PlayOptions

  constructor(wire: Wire, options: PlayOptions) {
    this.#wire = wire
    this.#options = options
  }

  /** False when the connection is over. */
  async play(step: Step, next: Step | undefined): Promise<boolean> {
    const wire = this.#wire
    if (step.status !== undefined) await this.#head(step.status, step.headers ?? {})
    else if (step.raw !== undefined) await this.#write(step.raw)
    else if (step.raw_b64 !== undefined) await this.#write(Buffer.from(step.raw_b64, 'base64'))
    else if (sends(step)) {
      await this.#send(step)
      if (sends(next)) await this.#sleep(this.#options.apartMs ?? 0)
    } else if (step.gate !== undefined) await Promise.race([wire.ended, this.#options.gate(step.gate)])
    else if (step.sleep_ms !== undefined) await this.#sleep(step.sleep_ms)
    else if (step.hang) await wire.ended
    else if (step.close) wire.close()
    else if (step.reset) wire.reset()
    else if (step.end) {
      if (this.#chunked) await wire.write('0\r\n\r\n')
      if (next?.close_conn_after_ms !== undefined) return this.#stayIdle(next.close_conn_after_ms)
    }
    return !wire.isEnded
  }

  async #head(code: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'transfer-encoding')
    this.#chunked = headerValues(entries, 'content-length').length === 0
    this.closesAfter = headerValues(entries, 'connection').some((value) => /\bclose\b/i.test(value))
    const lines = entries.map(([name, value]) => `${name}: ${value}\r\n`)
    if (this.#chunked) lines.push('transfer-encoding: chunked\r\n')
    await this.#wire.write(`HTTP/1.1 ${code} Scripted\r\n${lines.join('')}\r\n`)
  }

  async #write(bytes: string | Uint8Array): Promise<void> {
    await breathe()
    await this.#wire.write(bytes)
  }

  async #send(step: Step): Promise<void> {
    const bytes = step.send !== undefined ? Buffer.from(step.send) : Buffer.from(step.send_b64 ?? '', 'base64')
    if (bytes.length === 0) return // an empty chunk would end the body
    const frame = this.#chunked
      ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      : bytes
    const times = step.times ?? 1
    if (times > MANY_WRITES_FROM && step.every_ms === undefined) return this.#sendMany(frame, times)
    for (let n = 0; n < times; n++) {
      if (this.#wire.isEnded) return
      await this.#write(frame)
      await this.#sleep(step.every_ms ?? 0)
    }
  }

  async #sendMany(frame: Buffer, times: number): Promise<void> {
    const perWrite = Math.max(1, Math.floor(BATCH_BYTES / frame.length))
    const batch = Buffer.concat(Array<Buffer>(perWrite).fill(frame))
    for (let left = times; left > 0; left -= perWrite) {
      const piece = left >= perWrite ? batch : batch.subarray(0, left * frame.length)
      if (!(await this.#wire.write(piece))) return
    }
  }

  /** Wakes early when the other side leaves. */
  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await earlier(ms, this.#wire.ended)
  }

  /** Waits for the next request on the idle connection, and closes it when the time is over. */
  async #stayIdle(ms: number): Promise<boolean> {
    if ((await earlier(ms, this.#wire.readable())) === 'late') this.#wire.close()
    return !this.#wire.isEnded
  }
}

/** What `promise` resolves to, or `late` when that takes longer than `ms`. */
async function earlier<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), ms)
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  return first
}
