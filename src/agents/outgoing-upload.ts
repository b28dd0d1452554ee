import { assert, type CancelTimer, type Clock, errorText } from '../lib/index.ts'
import type { BodyRest, OutgoingRequest } from './contract.ts'
import { OutgoingBytes, type Outlet } from './outgoing-bytes.ts'

/** What the sender of a body that is still coming hears of it. */
export interface UploadUser {
  /** There is more to be written. */
  more(): void
  /** Nothing more can be. */
  broken(reason: 'reset' | 'idle_timeout', message: string): void
}

/** `idleMs` of its limits is how long the connection may take nothing. */
type UploadRequest = Pick<OutgoingRequest, 'body' | 'limits'> & { readonly rest: BodyRest }

type Taken = ReturnType<OutgoingBytes['continue']>

/** A request whose body is still coming, on its way into one connection: with its length told ahead, or in chunks (RFC 9112, 7.1). It is read no faster than it is taken. */
export class OutgoingUpload extends OutgoingBytes {
  readonly #rest: BodyRest
  readonly #user: UploadUser
  readonly #clock: Clock
  readonly #idleMs: number
  #leftBytes: number
  #isReading = false
  #isDone = false
  #isStopped = false
  #cancelTimer: CancelTimer | null = null

  constructor(head: string, request: UploadRequest, user: UploadUser, clock: Clock) {
    const { body, rest, limits } = request
    super(head, rest.bodyBytes === null && body !== null ? chunkOf(body) : body)
    this.#rest = rest
    this.#user = user
    this.#clock = clock
    this.#idleMs = limits.idleMs
    this.#leftBytes = (rest.bodyBytes ?? Number.POSITIVE_INFINITY) - (body?.byteLength ?? 0)
    assert(this.#leftBytes >= 0, 'the beginning of a body is longer than all of it') // its end would be another request's beginning
  }

  override start(outlet: Outlet): Taken {
    return this.#goOn(super.start(outlet))
  }

  /** `partly` also while more of the body is waited for. */
  override continue(outlet: Outlet): Taken {
    return this.#isReading ? 'partly' : this.#goOn(super.continue(outlet))
  }

  override stop(): void {
    this.#isStopped = true
    this.#cancelTimer?.()
  }

  #goOn(taken: Taken): Taken {
    this.#cancelTimer?.()
    if (taken === 'partly') this.#limitRoom()
    if (taken !== 'all' || this.#isDone) return taken
    void this.#read()
    return 'partly'
  }

  /** A connection that takes nothing holds the sender of the body up. */
  #limitRoom(): void {
    const message = `took nothing of the request for ${this.#idleMs} ms`
    this.#cancelTimer = this.#clock.after(this.#idleMs, () => this.#user.broken('idle_timeout', message))
  }

  async #read(): Promise<void> {
    this.#isReading = true
    try {
      this.#take(await this.#rest.read())
    } catch (error) {
      if (!this.#isStopped) this.#user.broken('reset', `the request's body broke off: ${errorText(error)}`)
      return
    }
    this.#isReading = false
    if (!this.#isStopped) this.#user.more()
  }

  #take(bytes: Uint8Array | null): void {
    const isChunked = this.#rest.bodyBytes === null
    if (bytes === null) {
      this.#isDone = true
      if (isChunked) this.add(LAST_CHUNK)
      else if (this.#leftBytes > 0) throw new Error('it is shorter than its length')
      return
    }
    if (bytes.byteLength > this.#leftBytes) throw new Error('it is longer than its length')
    this.#leftBytes -= bytes.byteLength
    if (bytes.byteLength > 0) this.add(isChunked ? chunkOf(bytes) : bytes)
  }
}

/** One without bytes would be the last. */
const chunkOf = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === 0 ? bytes : Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, LINE_END])

const LINE_END = Buffer.from('\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
