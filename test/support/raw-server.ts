import net from 'node:net'
import tls from 'node:tls'

/** A server of raw sockets on 127.0.0.1: each connection plays a script, byte by byte. */
export interface RawServer {
  readonly port: number
  /** Connections accepted so far; with TLS, those whose handshake succeeded. */
  readonly accepted: number
  /** Connections open now. */
  readonly open: number
  /** Whole requests read by scripts, in the order they came. */
  readonly requests: readonly RawRequest[]
  /** Bytes of requests that came, read by a script or not. */
  readonly receivedBytes: number
  /** Stops listening; open connections stay. */
  stopListening(): void
  [Symbol.asyncDispose](): Promise<void>
}

export interface RawRequest {
  /** Request line and fields, without the empty line. */
  readonly head: string
  readonly body: Buffer
}

/** One connection as its script sees it. */
export interface Peer {
  /** 0 for the first connection. */
  readonly number: number
  /** The next whole request. Rejects with `Hangup` when the connection ends before. */
  request(): Promise<RawRequest>
  /** Resolves when at least `size` bytes that no request has taken are here. */
  bytes(size: number): Promise<void>
  /** Resolves when the kernel took all of it. Rejects with `Hangup` when the connection ends before. */
  write(data: string | Uint8Array): Promise<void>
  /** Reads nothing more from now on. */
  pause(): void
  /** Reads on. */
  resume(): void
  /** FIN: nothing more will be written. */
  end(): void
  /** RST. */
  reset(): void
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
}

/** The connection ended under a script. The script may let it through: it is no error of the test. */
export class Hangup extends Error {}

/** Something to wait for, opened by hand. */
export interface Gate {
  open(): void
  readonly opened: Promise<void>
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, opened: promise }
}

export type Script = (peer: Peer) => Promise<void>

export interface SecureOptions {
  readonly key: string
  readonly cert: string
  /** Asks for a certificate that `ca` has signed, and serves nobody without. */
  readonly requestCert?: boolean
  readonly ca?: string
  readonly onSecure?: (socket: tls.TLSSocket) => void
}

/** Starts the server. Errors of scripts, but `Hangup`, are thrown when it is disposed of. */
export async function rawServer(script: Script, secure?: SecureOptions): Promise<RawServer> {
  const sockets = new Set<net.Socket>()
  const requests: RawRequest[] = []
  const failures: unknown[] = []
  const state = { accepted: 0, receivedBytes: 0 }

  function serve(socket: net.Socket): void {
    sockets.add(socket)
    socket.on('data', (bytes) => {
      state.receivedBytes += bytes.length
    })
    socket.on('close', () => sockets.delete(socket))
    const peer = createPeer(socket, state.accepted++, (request) => requests.push(request))
    script(peer).catch((error: unknown) => {
      if (!(error instanceof Hangup)) failures.push(error)
    })
  }

  const options = { allowHalfOpen: true, noDelay: true }
  const server =
    secure === undefined
      ? net.createServer(options, serve)
      : tls.createServer({ ...options, ...secure, ALPNProtocols: ['http/1.1'] }, (socket) => {
          secure.onSecure?.(socket)
          serve(socket)
        })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { port } = address

  return {
    port,
    get accepted() {
      return state.accepted
    },
    get open() {
      return sockets.size
    },
    requests,
    get receivedBytes() {
      return state.receivedBytes
    },
    stopListening: () => {
      server.close()
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) server.close()
      for (const socket of sockets) socket.destroy()
      if (failures.length > 0) throw failures[0]
    },
  }
}

function createPeer(socket: net.Socket, number: number, onRequest: (request: RawRequest) => void): Peer {
  const closed = gate()
  let received: Buffer = Buffer.alloc(0)
  let isOver = false
  let wake = (): void => {}
  const over = (): void => {
    isOver = true
    wake()
  }
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    wake()
  })
  socket.on('end', over)
  socket.on('error', over)
  socket.on('close', () => {
    over()
    closed.open()
  })

  async function moreThan(size: number): Promise<void> {
    while (received.length <= size) {
      if (isOver) throw new Hangup()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  async function request(): Promise<RawRequest> {
    let headEnd = received.indexOf('\r\n\r\n')
    while (headEnd < 0) {
      await moreThan(received.length)
      headEnd = received.indexOf('\r\n\r\n')
    }
    const head = received.toString('latin1', 0, headEnd)
    const size = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const end = headEnd + 4 + size
    await moreThan(end - 1)
    const whole = { head, body: received.subarray(headEnd + 4, end) }
    received = received.subarray(end)
    onRequest(whole)
    return whole
  }

  return {
    number,
    request,
    bytes: (size) => moreThan(size - 1),
    write: (data) => written(socket, data),
    pause: () => {
      socket.pause()
    },
    resume: () => {
      socket.resume()
    },
    end: () => {
      socket.end()
    },
    reset: () => {
      socket.resetAndDestroy()
    },
    closed: closed.opened,
  }
}

function written(socket: net.Socket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Hangup())
    socket.once('close', ended)
    socket.write(data, (error) => {
      socket.off('close', ended)
      if (error) ended()
      else resolve()
    })
  })
}

/** An answer with a plain body and its length. */
export function plain(body: string, more: { status?: string; headers?: readonly string[] } = {}): string {
  const { status = '200 OK', headers = [] } = more
  return [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n')
}

/** Answers every request on every connection in the same way. */
export function always(answer: string | Uint8Array): Script {
  return async (peer) => {
    for (;;) {
      await peer.request()
      await peer.write(answer)
    }
  }
}
