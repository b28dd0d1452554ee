import type { Socket, SocketHandler } from 'bun'

/** A TCP or TLS socket that reports to its owner of the moment: a race, a tunnel, then a connection. */
export type OwnedSocket = Socket<SocketOwner>

export interface SocketOwner {
  /** TCP is there. */
  onOpen(socket: OwnedSocket): void
  onHandshake(socket: OwnedSocket, isVerified: boolean, error: Error | null): void
  /** Bun may call this inside `connect`, where the kernel refuses at once. */
  onConnectError(error: Error): void
  onData(bytes: Buffer): void
  onDrain(): void
  /** The other side will send nothing more (FIN). */
  onEnd(): void
  onClosed(error: Error | undefined): void
}

/** Bun wants ALPN in wire format: a plain string silently sends none. */
export const ALPN_HTTP11 = Buffer.from('\x08http/1.1', 'latin1')

export const PLAIN: SocketHandler<SocketOwner> = {
  open: (socket) => socket.data.onOpen(socket),
  data: (socket, bytes) => guarded(() => socket.data.onData(bytes)),
  drain: (socket) => guarded(() => socket.data.onDrain()),
  end: (socket) => guarded(() => socket.data.onEnd()),
  close: (socket, error) => socket.data.onClosed(error),
  connectError: (socket, error) => socket.data.onConnectError(error),
  error: () => {}, // a broken TLS session: `close` follows with the same error
}

export const TLS: SocketHandler<SocketOwner> = {
  ...PLAIN,
  handshake: (socket, isVerified, error) => socket.data.onHandshake(socket, isVerified, error),
}

/** Owns what has been left behind. */
export const NO_OWNER: SocketOwner = {
  onOpen: (socket) => socket.terminate(),
  onHandshake: () => {},
  onConnectError: () => {},
  onData: () => {},
  onDrain: () => {},
  onEnd: () => {},
  onClosed: () => {},
}

/** A bug in a user must not vanish in a socket's `error` handler: it becomes an unhandled rejection, which the app logs. */
export function guarded(report: () => void): void {
  try {
    report()
  } catch (error) {
    void Promise.reject(error)
  }
}

/** `ECONNREFUSED: connect refused` */
export function socketErrorText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' || error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
}
