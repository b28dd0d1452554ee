import { type Framing, framingOf, type Headers, headerValues, parseHead, readBody } from './http-message.ts'
import { withPatience } from './milestones.ts'
import { type SseEvent, SseReader } from './sse-reader.ts'
import type { Wire } from './wire.ts'

/** How an answer ended: at its proper end; before it, by the other side; before it, because we hung up. */
export type Ending = 'complete' | 'cut' | 'left'

export interface AnswerHead {
  readonly status: number
  readonly reason: string
  readonly headers: Headers
  /** The first value of this name. */
  header(name: string): string | null
}

/** One answer while it comes. */
export interface RawAnswer extends AsyncDisposable {
  /** Rejects when the connection ends before a head. Heads of 1xx are passed over. */
  head(): Promise<AnswerHead>
  status(): Promise<number>
  /** Never rejects. */
  ended(): Promise<Ending>
  /** The whole body. Rejects when the answer did not come to its proper end. */
  text(): Promise<string>
  json(): Promise<unknown>
  /** Resolves when the body so far contains the text; rejects when it ends without it. */
  until(text: string): Promise<void>
  /** Resolves when so many events have been dispatched; rejects when the body ends before. */
  untilEvents(count: number): Promise<void>
  hangUp(): void
  /** The body so far, without its framing. */
  readonly bodySoFar: Buffer
  readonly textSoFar: string
  /** When each piece of the body was read (`performance.now`). */
  readonly pieces: readonly { readonly atMs: number; readonly bytes: Buffer }[]
  /** The events dispatched so far, when the body is an event stream. */
  readonly events: readonly SseEvent[]
  readonly comments: readonly string[]
  readonly trailers: Headers
}

/** Reads one answer from a wire. */
export class AnswerReader implements RawAnswer {
  readonly pieces: { atMs: number; bytes: Buffer }[] = []
  trailers: Headers = []
  readonly hangUp: () => void
  readonly #method: string
  readonly #hungUp: () => boolean
  readonly #sse = new SseReader()
  readonly #head = Promise.withResolvers<AnswerHead | null>()
  readonly #ended = Promise.withResolvers<Ending>()
  #isEventStream = false
  #ending: Ending | null = null
  #changed: (() => void)[] = []

  constructor(method: string, hungUp: () => boolean, hangUp: () => void) {
    this.#method = method
    this.#hungUp = hungUp
    this.hangUp = hangUp
  }

  get bodySoFar(): Buffer {
    return Buffer.concat(this.pieces.map(({ bytes }) => bytes))
  }

  get textSoFar(): string {
    return this.bodySoFar.toString('utf8')
  }

  get events(): readonly SseEvent[] {
    return this.#sse.events
  }

  get comments(): readonly string[] {
    return this.#sse.comments
  }

  async head(): Promise<AnswerHead> {
    const head = await withPatience(this.#head.promise, () => 'no head of an answer came')
    if (head === null) throw new Error(`the connection ended before a head came (${this.#ending})`)
    return head
  }

  async status(): Promise<number> {
    return (await this.head()).status
  }

  ended(): Promise<Ending> {
    return this.#ended.promise
  }

  async text(): Promise<string> {
    const ending = await this.ended()
    if (ending !== 'complete') throw new Error(`the answer was ${ending} after "${this.textSoFar.slice(-200)}"`)
    return this.textSoFar
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  until(text: string): Promise<void> {
    return this.#until(() => this.textSoFar.includes(text), JSON.stringify(text))
  }

  untilEvents(count: number): Promise<void> {
    return this.#until(() => this.events.length >= count, `event ${count}`)
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const soFar = () => `so far: "${this.textSoFar.slice(-200)}"`
    while (!holds()) {
      if (this.#ending !== null) throw new Error(`the answer was ${this.#ending} without ${what}; ${soFar()}`)
      await withPatience(
        new Promise<void>((done) => this.#changed.push(done)),
        () => `${what} did not come; ${soFar()}`,
      )
    }
  }

  /** Reads this answer to its end; called by the client alone, once. */
  async read(wire: Wire | null): Promise<void> {
    const complete = wire !== null && (await this.#read(wire))
    const ending = complete ? 'complete' : this.#hungUp() ? 'left' : 'cut'
    this.#ending = ending
    this.#head.resolve(null)
    this.#ended.resolve(ending)
    this.#notify()
  }

  async #read(wire: Wire): Promise<boolean> {
    for (;;) {
      const bytes = await wire.until('\r\n\r\n')
      if (bytes === null) return false
      const { startLine, headers } = parseHead(bytes)
      const [, code, reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(startLine) ?? []
      if (code === undefined) return false
      const status = Number(code)
      if (status < 200 && status !== 101) continue
      this.#isEventStream = /^text\/event-stream\b/i.test(headerValues(headers, 'content-type')[0] ?? '')
      this.#head.resolve({ status, reason, headers, header: (name) => headerValues(headers, name)[0] ?? null })
      const bodiless = this.#method === 'HEAD' || status === 101 || status === 204 || status === 304
      const framing: Framing = bodiless ? { kind: 'none' } : framingOf(headers, 'until_close')
      return readBody(wire, framing, {
        bytes: (piece) => this.#take(piece),
        trailers: (trailers) => {
          this.trailers = trailers
        },
      })
    }
  }

  #take(bytes: Buffer): void {
    const atMs = performance.now()
    this.pieces.push({ atMs, bytes })
    if (this.#isEventStream) this.#sse.push(bytes, atMs)
    this.#notify()
  }

  #notify(): void {
    for (const done of this.#changed.splice(0)) done()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp()
  }
}
