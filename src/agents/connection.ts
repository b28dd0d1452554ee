import { isIP } from 'node:net'
import type { UnsentReason } from '../domain/index.ts'
import { type CancelTimer, type Clock, canonicalAddress, hasFilesLeft, hostText, NO_FILES_LEFT } from '../lib/index.ts'
import { type Address, tlsOptionsOf } from './address.ts'
import { AddressRace, type RaceUser } from './address-race.ts'
import { guarded, NO_OWNER, type OwnedSocket, type SocketOwner, socketErrorText, TLS } from './owned-socket.ts'
import { ProxyTunnel, type TunnelUser } from './proxy-tunnel.ts'
import type { Resolved, Resolver } from './resolver.ts'
import { tlsRefusal } from './tls-refusal.ts'

/** Who a connection reports to. After `unsent` or `closed` nothing more comes. */
export interface ConnectionUser {
  /** Dialled, and with TLS verified: it may be written to. */
  opened(connection: Connection): void
  /** The dial came to nothing: not one byte of a request was written. */
  unsent(connection: Connection, reason: UnsentReason, message: string): void
  data(connection: Connection, bytes: Buffer): void
  /** Room for more after a `write` that took less than it was given. */
  drained(connection: Connection): void
  /** The backend will send nothing more (FIN). `closed` follows. */
  finished(connection: Connection): void
  closed(connection: Connection, message: string): void
}

export interface DialOptions {
  readonly address: Address
  readonly clock: Clock
  readonly resolver: Resolver
  /** Bounds name resolution, connect, tunnel and TLS handshake together. */
  readonly connectMs: number
  /** Whether the far end must be, after connect, exactly the address that was dialled. */
  readonly isChecked?: boolean
  /** The socket exists no more, or the dial has failed: called once, in any case. */
  readonly onGone: (connection: Connection) => void
}

const KEEP_ALIVE_PROBE_MS = 5000

/** One connection to a backend, from its dial to its end. It has one user at a time. */
export class Connection implements SocketOwner, RaceUser, TunnelUser {
  user: ConnectionUser
  /** How many answers were completely received on it. */
  served = 0
  /** A moment on the clock, in µs. */
  openedUs = 0
  /** How long these took, in µs. The name: null when the address was given. */
  dnsUs: number | null = null
  /** Until TCP was there, through the proxy where there is one; with the addresses that were tried in vain. */
  connectUs = 0
  tlsUs: number | null = null
  /** What the address that is used took to answer, without the ones tried before. */
  roundTripUs = 0
  /** Set while it is kept: since when it rests, and when its life ends unused. */
  idleSinceUs = 0
  idleUntilUs = 0
  readonly #options: DialOptions
  readonly #startedUs: number
  readonly #cancelTimer: CancelTimer
  #state: 'dialling' | 'open' | 'closed' = 'dialling'
  #socket: OwnedSocket | null = null
  #race: AddressRace | null = null
  #isGone = false

  /** Starts to dial; `user` hears of it in a later tick. */
  constructor(options: DialOptions, user: ConnectionUser) {
    const { address, clock, connectMs, resolver } = options
    this.#options = options
    this.user = user
    this.#startedUs = clock.monotonicUs()
    this.#cancelTimer = clock.after(connectMs, () => {
      this.#dialFailed('connect_timeout', `no connection within ${connectMs} ms`)
    })
    const found = resolver.find(address.proxy?.host ?? address.host)
    if (found instanceof Promise) found.then((late) => guarded(() => this.#resolved(late)))
    else if (found.kind === 'addresses') this.#resolved(found)
    else queueMicrotask(() => this.#resolved(found))
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Ended by us or by the other side; what Bun still dials for it may go on. */
  get isGivenUp(): boolean {
    return this.#state === 'closed'
  }

  /** Bytes taken by the kernel, or by TLS on its way there; -1 when the socket is closed. */
  write(bytes: Uint8Array, offset: number, size: number): number {
    return this.#socket?.write(bytes, offset, size) ?? -1
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  /** Ends it in good order (FIN). Nothing is reported any more. */
  close(): void {
    this.#leave()
    this.#socket?.close()
  }

  /** Ends it at once, in every phase (RST: what the kernel still holds is dropped). Nothing is reported any more. */
  destroy(): void {
    this.#leave()
    this.#socket?.terminate()
  }

  #leave(): void {
    this.user = NOBODY
    this.#state = 'closed'
    this.#cancelTimer()
    this.#race?.leave()
    this.settled()
  }

  /** Bun still dials what a race has left behind, and cannot be told to stop: until then it is not gone. */
  settled(): void {
    if (this.#isGone || this.#state !== 'closed' || this.#race?.isSettled === false) return
    this.#isGone = true
    this.#options.onGone(this)
  }

  #dialFailed(reason: UnsentReason, message: string): void {
    if (this.#state !== 'dialling') return
    const { user } = this
    this.destroy()
    guarded(() => user.unsent(this, reason, message))
  }

  // The dial, step by step: addresses, TCP, the proxy's tunnel, TLS

  #resolved(found: Resolved): void {
    if (this.#state !== 'dialling') return
    const { address, clock, resolver } = this.#options
    const { proxy } = address
    if (found.kind === 'failed') {
      this.#wayFailed(found.reason, found.message)
      return
    }
    if (isIP(proxy?.host ?? address.host) === 0) this.dnsUs = clock.monotonicUs() - this.#startedUs
    const tls = address.tls === null || proxy !== null ? null : tlsOptionsOf(address.tls)
    const port = proxy?.port ?? address.port
    this.#race = new AddressRace({ ips: found.ips, port, tls, clock, onSlow: (ip) => resolver.demote(ip) }, this)
  }

  won(socket: OwnedSocket, ip: string, roundTripUs: number): void {
    const { address, clock, isChecked } = this.#options
    this.#socket = socket
    socket.data = this
    if (isChecked && canonicalAddress(socket.remoteAddress) !== canonicalAddress(ip)) {
      this.#dialFailed('address', 'the connection leads to another address than the one that was checked')
      return
    }
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    this.roundTripUs = roundTripUs
    this.connectUs = this.#sinceResolvedUs()
    if (address.proxy !== null) {
      socket.data = new ProxyTunnel(socket, hostText(address.host, address.port), address.proxy, this)
    } else if (address.tls === null) this.#ready(clock.monotonicUs())
  }

  lost(message: string): void {
    const { address, resolver } = this.#options
    resolver.doubt(address.proxy?.host ?? address.host)
    this.#wayFailed('connect', message)
  }

  /**
   * No TCP connection: to the proxy where there is one. Bun tells a socket that it could not get as ECONNREFUSED, in the words of a backend that
   * refuses, and a name that it could not look up as unknown.
   */
  #wayFailed(reason: UnsentReason, message: string): void {
    if (!hasFilesLeft()) this.#dialFailed('no_room', NO_FILES_LEFT)
    else if (this.#options.address.proxy === null) this.#dialFailed(reason, message)
    else this.#dialFailed('proxy', `the proxy: ${message}`)
  }

  /** The proxy has connected us. What it carries from now on is TLS where the address asks for it. */
  built(): void {
    const { address, clock } = this.#options
    const socket = this.#socket
    if (this.#state !== 'dialling' || socket === null) return
    const tunnelUs = this.#sinceResolvedUs() - this.connectUs
    this.roundTripUs += tunnelUs
    this.connectUs += tunnelUs
    if (address.tls === null) {
      socket.data = this
      this.#ready(clock.monotonicUs())
      return
    }
    socket.data = NO_OWNER // it goes on reporting the encrypted bytes
    this.#socket = socket.upgradeTLS<SocketOwner>({ data: this, tls: tlsOptionsOf(address.tls), socket: TLS })[1]
  }

  failed(message: string): void {
    this.#dialFailed('proxy', message)
  }

  onHandshake(socket: OwnedSocket, isVerified: boolean, error: Error | null): void {
    if (this.#state !== 'dialling') return
    const certificate = socket.getPeerCertificate()
    const handshake = { isVerified, error, certificate, protocol: socket.alpnProtocol }
    const refusal = tlsRefusal(this.#options.address.host, handshake)
    if (refusal !== null) {
      this.#dialFailed('tls', refusal)
      return
    }
    this.tlsUs = this.#sinceResolvedUs() - this.connectUs
    this.#ready(this.#options.clock.monotonicUs())
  }

  #sinceResolvedUs(): number {
    return this.#options.clock.monotonicUs() - this.#startedUs - (this.dnsUs ?? 0)
  }

  #ready(nowUs: number): void {
    this.#state = 'open'
    this.#cancelTimer()
    this.openedUs = nowUs
    guarded(() => this.user.opened(this))
  }

  // Reports of the socket

  onData(bytes: Buffer): void {
    this.user.data(this, bytes)
  }

  onDrain(): void {
    this.user.drained(this)
  }

  onEnd(): void {
    this.user.finished(this)
  }

  onClosed(error: Error | undefined): void {
    const message = error === undefined ? 'the backend closed the connection' : socketErrorText(error)
    if (this.#state === 'dialling') this.#dialFailed('tls', message)
    if (this.#state !== 'open') return
    const { user } = this
    this.#leave()
    guarded(() => user.closed(this, message))
  }

  onOpen(): void {} // the race has seen it; after `upgradeTLS` Bun says it once more
  onConnectError(): void {}
}

/** Does nothing, whatever is reported. */
export const NOBODY: ConnectionUser = {
  opened: () => {},
  unsent: () => {},
  data: () => {},
  drained: () => {},
  finished: () => {},
  closed: () => {},
}
