import { AnswerReader, type RawAnswer } from './raw-answer.ts'
import { type Wire, wireHandlers } from './wire.ts'

export interface RawRequest {
  readonly method?: string
  /** Goes out as it is. */
  readonly path: string
  /** After `host`; in this order, with these capitals. */
  readonly headers?: Readonly<Record<string, string>>
  /** A value, sent as compact JSON with its content type, unless that is among the headers. */
  readonly json?: unknown
  /** Bytes in place of `json`. */
  readonly body?: string | Uint8Array
  /** Sends the body chunked, in pieces of this many bytes, instead of with its length. */
  readonly chunkBytes?: number
}

/** A client with a TCP connection of its own. */
export interface RawClient extends AsyncDisposable {
  /** Sends a request and reads its answer. A second one goes out at once, on the same connection: its answer is read after the first. */
  send(request: RawRequest): RawAnswer
  /** Exactly these bytes. False when the connection is gone. */
  write(bytes: string | Uint8Array): Promise<boolean>
  /** The next answer on this connection: for what `write` has sent. */
  answer(method?: string): RawAnswer
  /** Everything that has come, and when (`performance.now`), as the kernel gave it. */
  readonly arrivals: readonly { readonly atMs: number; readonly bytes: Buffer }[]
  /** Reads nothing from the kernel until `resume`. */
  pause(): Promise<void>
  resume(): void
  /** FIN: like a process that closes its socket. */
  hangUp(): void
  /** RST. */
  reset(): void
  /** Resolves when the connection is over, whoever ended it. */
  ended(): Promise<void>
}

/** Dials at once. A dial that fails shows as a connection that ends before anything came. */
export function rawClient(origin: string, tls?: { readonly ca: string }): RawClient {
  const arrivals: { atMs: number; bytes: Buffer }[] = []
  const state = { hungUp: false }
  const dialled = dial(origin, tls, (bytes) => arrivals.push({ atMs: performance.now(), bytes }))
  let turn: Promise<unknown> = dialled

  const write = async (bytes: string | Uint8Array): Promise<boolean> => (await (await dialled)?.write(bytes)) ?? false
  const end = (how: (wire: Wire) => void): void => {
    state.hungUp = true
    void dialled.then((wire) => wire !== null && how(wire))
  }
  const answer = (method = 'POST'): RawAnswer => {
    const reader = new AnswerReader(
      method,
      () => state.hungUp,
      () => end((wire) => wire.close()),
    )
    turn = Promise.all([dialled, turn]).then(([wire]) => reader.read(wire))
    return reader
  }
  return {
    arrivals,
    write,
    answer,
    send(request) {
      void write(requestBytes(origin, request))
      return answer(request.method)
    },
    pause: async () => (await dialled)?.pause(),
    resume: () => void dialled.then((wire) => wire?.resume()),
    hangUp: () => end((wire) => wire.close()),
    reset: () => end((wire) => wire.reset()),
    ended: async () => (await dialled)?.ended,
    async [Symbol.asyncDispose]() {
      state.hungUp = true
      ;(await dialled)?.reset()
    },
  }
}

/** One request on a connection of its own; `answer.hangUp()` closes it. */
export const rawRequest = (origin: string, request: RawRequest): RawAnswer => rawClient(origin).send(request)

async function dial(
  origin: string,
  tls: { readonly ca: string } | undefined,
  onBytes: (bytes: Buffer) => void,
): Promise<Wire | null> {
  const { hostname, port, protocol } = new URL(origin)
  const { promise, resolve } = Promise.withResolvers<Wire | null>()
  const socket = { ...wireHandlers(resolve, onBytes), connectError: () => resolve(null) }
  const secure = protocol === 'https:' ? { tls: tls ?? true } : {}
  Bun.connect<Wire>({ hostname, port: Number(port), allowHalfOpen: true, socket, ...secure }).catch(() => resolve(null))
  return promise
}

/** The bytes of a request, as they go out. */
export function requestBytes(origin: string, request: RawRequest): Buffer {
  const given = request.headers ?? {}
  const names = Object.keys(given).map((name) => name.toLowerCase())
  const lines = [`${request.method ?? 'POST'} ${request.path} HTTP/1.1`]
  if (!names.includes('host')) lines.push(`host: ${new URL(origin).host}`)
  for (const [name, value] of Object.entries(given)) lines.push(`${name}: ${value}`)
  const body = request.json === undefined ? request.body : JSON.stringify(request.json)
  if (body === undefined) return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)

  if (request.json !== undefined && !names.includes('content-type')) lines.push('content-type: application/json')
  const bytes = Buffer.from(body)
  if (request.chunkBytes === undefined) {
    lines.push(`content-length: ${bytes.length}`)
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
  }
  lines.push('transfer-encoding: chunked')
  const pieces = [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)]
  for (let at = 0; at < bytes.length; at += request.chunkBytes) {
    const piece = bytes.subarray(at, at + request.chunkBytes)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}
