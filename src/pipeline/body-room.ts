import { GatewayError } from '../domain/index.ts'

/** The memory of bodies of requests in progress: bounded in all, and for each account by half of that, so that nobody's requests can take it from all others. */
export class BodyRoom {
  #bytes = 0
  readonly #ofOwner = new Map<string, number>()

  /** Bytes that are taken now. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether so many more bytes of this owner's were let in. What is alone always is, however large. */
  take(owner: string, bytes: number, bytesMax: number): boolean {
    const own = this.#ofOwner.get(owner) ?? 0
    if (this.#bytes > 0 && this.#bytes + bytes > bytesMax) return false
    if (own > 0 && own + bytes > bytesMax / 2) return false
    this.#bytes += bytes
    this.#ofOwner.set(owner, own + bytes)
    return true
  }

  giveBack(owner: string, bytes: number): void {
    this.#bytes -= bytes
    const own = (this.#ofOwner.get(owner) ?? 0) - bytes
    if (own > 0) this.#ofOwner.set(owner, own)
    else this.#ofOwner.delete(owner)
  }
}

/** Bodies so short are not counted: how many requests may be in progress bounds them. */
export const SMALL_BODY_BYTES = 65_536

/** What one request's body takes of it. `owner`: its account; empty while that is not known. */
export class BodyPlace {
  readonly #room: BodyRoom
  readonly #owner: string
  readonly #bytesMax: number
  #bytes = 0
  #isOver = false

  constructor(room: BodyRoom, owner: string, bytesMax: number) {
    this.#room = room
    this.#owner = owner
    this.#bytesMax = bytesMax
  }

  /** Before so many bytes are read. Throws 503 when there is no room for them. */
  add(bytes: number): void {
    if (this.#isOver) return // nobody waits for what still comes
    if (!this.#room.take(this.#owner, bytes, this.#bytesMax)) throw full()
    this.#bytes += bytes
  }

  /** The request is over. */
  giveBack(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#bytes > 0) this.#room.giveBack(this.#owner, this.#bytes)
  }
}

const full = (): GatewayError =>
  new GatewayError(
    'too_many_requests_in_flight',
    'The bodies of requests in progress take as much memory as they may. Please try again.',
    { retryAfterMs: 1000 },
  )
