import type { TLSOptions } from 'bun'
import type { CancelTimer, Clock } from '../lib/index.ts'
import { NO_OWNER, type OwnedSocket, PLAIN, type SocketOwner, socketErrorText, TLS } from './owned-socket.ts'

/** RFC 8305, 5: the next address is tried when the one before has said nothing for so long. */
const STAGGER_MS = 250

export interface RaceOptions {
  /** In the order they are tried; at least one. */
  readonly ips: readonly string[]
  readonly port: number
  /** The handshake begins by itself once TCP is there. Null for plain TCP. */
  readonly tls: TLSOptions | null
  readonly clock: Clock
  /** Told, in a later tick, of an address that refused, or that a later one has overtaken. */
  readonly onSlow: (ip: string) => void
}

/** Who a race reports to: one of `won` and `lost`, in a later tick, unless it was left; and `settled` in any case. */
export interface RaceUser {
  /** The socket is the user's: its owner must be set. `roundTripUs` is what this address alone took. */
  won(socket: OwnedSocket, ip: string, roundTripUs: number): void
  lost(message: string): void
  /** No dial is pending any more. */
  settled(): void
}

/** Dials the addresses of a place one after the other, without waiting long for each: the first that answers stays. */
export class AddressRace {
  readonly #options: RaceOptions
  readonly #user: RaceUser
  readonly #dials: AddressDial[] = []
  #cancelTimer: CancelTimer = () => {}
  #pending = 0
  #isOver = false

  constructor(options: RaceOptions, user: RaceUser) {
    this.#options = options
    this.#user = user
    this.#dialNext()
  }

  get isSettled(): boolean {
    return this.#pending === 0
  }

  /** Gives up: what is still dialled cannot be told, and is closed when it comes. */
  leave(): void {
    this.#isOver = true
    this.#cancelTimer()
  }

  opened(dial: AddressDial, socket: OwnedSocket): void {
    this.#pending--
    if (this.#isOver) {
      socket.data = NO_OWNER
      socket.terminate()
    } else {
      this.leave()
      const before = this.#dials.slice(0, this.#dials.indexOf(dial))
      for (const other of before) if (!other.isSettled) this.#options.onSlow(other.ip)
      this.#user.won(socket, dial.ip, this.#options.clock.monotonicUs() - dial.startedUs)
    }
    if (this.#pending === 0) this.#user.settled()
  }

  failed(dial: AddressDial, error: Error): void {
    this.#pending--
    if (!this.#isOver) {
      this.#options.onSlow(dial.ip)
      this.#cancelTimer()
      this.#dialNext()
      if (this.#pending === 0) {
        this.leave()
        this.#user.lost(socketErrorText(error))
      }
    }
    if (this.#pending === 0) this.#user.settled()
  }

  #dialNext(): void {
    const { ips, clock } = this.#options
    const ip = ips[this.#dials.length]
    if (ip === undefined) return
    this.#pending++
    const dial = new AddressDial(this, ip, clock.monotonicUs())
    this.#dials.push(dial)
    if (this.#dials.length < ips.length) this.#cancelTimer = clock.after(STAGGER_MS, () => this.#dialNext())
    this.#dial(dial)
  }

  #dial(dial: AddressDial): void {
    const { port, tls } = this.#options
    const place = { hostname: dial.ip, port, data: dial }
    try {
      const dialling = tls === null ? connect({ ...place, socket: PLAIN }) : connect({ ...place, socket: TLS, tls })
      dialling.catch((error: Error) => dial.onConnectError(error)) // mostly told before
    } catch (error) {
      dial.onConnectError(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

const connect = (options: Bun.TCPSocketConnectOptions<SocketOwner>): Promise<OwnedSocket> => Bun.connect(options)

/** One address of a race. */
class AddressDial implements SocketOwner {
  isSettled = false
  readonly ip: string
  readonly startedUs: number
  readonly #race: AddressRace

  constructor(race: AddressRace, ip: string, startedUs: number) {
    this.#race = race
    this.ip = ip
    this.startedUs = startedUs
  }

  onOpen(socket: OwnedSocket): void {
    this.isSettled = true
    this.#race.opened(this, socket)
  }

  onConnectError(error: Error): void {
    if (this.isSettled) return
    this.isSettled = true
    queueMicrotask(() => this.#race.failed(this, error))
  }

  onHandshake(): void {}
  onData(): void {}
  onDrain(): void {}
  onEnd(): void {}
  onClosed(): void {}
}
