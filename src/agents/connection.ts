import type { Socket, SocketHandler } from 'bun'
import type { UnsentReason } from '../domain/index.ts'
import type { CancelTimer, Clock } from '../lib/index.ts'
import type { Address } from './address.ts'
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
  /** Bounds name resolution, connect and TLS handshake together. */
  readonly connectMs: number
  /** The socket exists no more, or the dial has failed: called once, in any case. */
  readonly onGone: (connection: Connection) => void
}

const KEEP_ALIVE_PROBE_MS = 5000
/** Bun wants ALPN in wire format: a plain string silently sends none. */
const ALPN_HTTP11 = Buffer.from('\x08http/1.1', 'latin1')

/** One connection to a backend, from its dial to its end. It has one user at a time. */
export class Connection {
  user: ConnectionUser
  /** How many answers were completely received on it. */
  served = 0
  /** Moments on the clock, in µs. `connectUs` is the time for name resolution and TCP together: Bun resolves by itself. */
  openedUs = 0
  connectUs = 0
  tlsUs: number | null = null
  /** Set while it is kept: when its life ends unused. */
  idleUntilUs = 0
  readonly #options: DialOptions
  readonly #startedUs: number
  readonly #cancelTimer: CancelTimer
  #state: 'dialling' | 'open' | 'closed' = 'dialling'
  #socket: Socket<Connection> | null = null
  #isGone = false

  /** Starts to dial; `user` hears of it in a later tick. */
  constructor(options: DialOptions, user: ConnectionUser) {
    const { address, clock, connectMs } = options
    this.#options = options
    this.user = user
    this.#startedUs = clock.monotonicUs()
    this.#cancelTimer = clock.after(connectMs, () => {
      this.#dialFailed('connect_timeout', `no connection within ${connectMs} ms`)
    })
    const { host: hostname, port, tls } = address
    const dialling =
      tls === null
        ? Bun.connect({ hostname, port, data: this, socket: PLAIN })
        : Bun.connect({
            hostname,
            port,
            data: this,
            socket: TLS,
            tls: {
              serverName: tls.serverName,
              ALPNProtocols: ALPN_HTTP11,
              rejectUnauthorized: true,
              ...(tls.ca === null ? {} : { ca: tls.ca }),
            },
          })
    dialling.catch(() => {}) // `connectError` has reported it
  }

  get isOpen(): boolean {
    return this.#state === 'open'
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
    this.#socket?.end()
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
    if (this.#socket !== null) this.#gone() // else Bun still dials, and cannot be told to stop: see `onConnected`
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#options.onGone(this)
  }

  #dialFailed(reason: UnsentReason, message: string): void {
    if (this.#state !== 'dialling') return
    const { user } = this
    this.destroy()
    guarded(() => user.unsent(this, reason, message))
  }

  /** TCP is there. An abandoned dial ends here. */
  onConnected(socket: Socket<Connection>): void {
    this.#socket = socket
    if (this.#state === 'closed') {
      socket.terminate()
      this.#gone()
      return
    }
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    this.connectUs = this.#options.clock.monotonicUs() - this.#startedUs
    if (this.#options.address.tls === null) this.#ready()
  }

  onHandshake(socket: Socket<Connection>, isVerified: boolean, error: Error | null): void {
    if (this.#state !== 'dialling') return
    const certificate = socket.getPeerCertificate()
    const handshake = { isVerified, error, certificate, protocol: socket.alpnProtocol }
    const refusal = tlsRefusal(this.#options.address.host, handshake)
    if (refusal !== null) {
      this.#dialFailed('tls', refusal)
      return
    }
    this.tlsUs = this.#options.clock.monotonicUs() - this.#startedUs - this.connectUs
    this.#ready()
  }

  #ready(): void {
    this.#state = 'open'
    this.#cancelTimer()
    this.openedUs = this.#options.clock.monotonicUs()
    guarded(() => this.user.opened(this))
  }

  /** Bun calls this inside `connect` where the kernel refuses at once; nobody expects a report that early. */
  onConnectError(error: Error): void {
    queueMicrotask(() => {
      this.#gone()
      this.#dialFailed(isNameError(error) ? 'dns' : 'connect', describe(error))
    })
  }

  onClosed(error: Error | undefined): void {
    this.#gone()
    const message = error === undefined ? 'the backend closed the connection' : describe(error)
    if (this.#state === 'dialling') this.#dialFailed('tls', message)
    if (this.#state !== 'open') return
    const { user } = this
    this.#leave()
    guarded(() => user.closed(this, message))
  }
}

const NOBODY: ConnectionUser = {
  opened: () => {},
  unsent: () => {},
  data: () => {},
  drained: () => {},
  finished: () => {},
  closed: () => {},
}

const PLAIN: SocketHandler<Connection> = {
  open: (socket) => socket.data.onConnected(socket),
  data: (socket, bytes) => guarded(() => socket.data.user.data(socket.data, bytes)),
  drain: (socket) => guarded(() => socket.data.user.drained(socket.data)),
  end: (socket) => guarded(() => socket.data.user.finished(socket.data)),
  close: (socket, error) => socket.data.onClosed(error),
  connectError: (socket, error) => socket.data.onConnectError(error),
  error: () => {}, // a broken TLS session: `close` follows with the same error
}

const TLS: SocketHandler<Connection> = {
  ...PLAIN,
  handshake: (socket, isVerified, error) => socket.data.onHandshake(socket, isVerified, error),
}

/** A bug in a user must not vanish in a socket's `error` handler: it becomes an unhandled rejection, which the app logs. */
function guarded(report: () => void): void {
  try {
    report()
  } catch (error) {
    void Promise.reject(error)
  }
}

function isNameError(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'getaddrinfo'
}

function describe(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message
}
