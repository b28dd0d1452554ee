import type { SurfaceName } from '../../src/dialects/index.ts'
import type { Arrival } from '../../src/pipeline/index.ts'
import { run } from '../../src/pipeline/index.ts'
import { type HouseDouble, MODEL, SECRET } from './house.ts'

export interface ArrivalSpec {
  /** An object is sent as JSON over the usual fields; null sends no body. */
  readonly body?: object | string | ReadableStream<Uint8Array> | null
  /** Besides the key's; null takes the key away. */
  readonly headers?: Readonly<Record<string, string>> | null
  readonly remoteAddress?: string
  readonly surface?: SurfaceName
  readonly operation?: Arrival['operation']
}

/** A request at the edge, and the caller behind it. */
export interface Asking {
  readonly arrival: Arrival
  /** The caller hangs up. */
  leave(): void
  /** What was done to the server's limit on silence, in order. */
  readonly idleLimit: readonly ('lifted' | 'restored')[]
}

/** A `POST /v1/chat/completions` as the edge hands it in. */
export function asking(spec: ArrivalSpec = {}): Asking {
  const { body = {}, headers = {}, remoteAddress = '203.0.113.7', surface = 'openai' } = spec
  const { operation = 'chat.completions' } = spec
  const caller = new AbortController()
  const idleLimit: ('lifted' | 'restored')[] = []
  const isStream = body instanceof ReadableStream
  const sent = typeof body === 'object' && body !== null && !isStream ? chat(body) : body
  const request = new Request('http://127.0.0.1/v1/chat/completions', {
    method: 'POST',
    headers: headers === null ? {} : { authorization: `Bearer ${SECRET}`, ...headers },
    body: sent,
    signal: caller.signal,
  })
  return {
    arrival: {
      operation,
      surface,
      request,
      remoteAddress: () => remoteAddress,
      liftIdleLimit: () => idleLimit.push('lifted'),
      restoreIdleLimit: () => idleLimit.push('restored'),
    },
    leave: () => caller.abort(),
    idleLimit,
  }
}

/** A chat request as JSON: 30 bytes of text, 10 tokens at 3 bytes each, and the fields given. */
export const chat = (fields: object = {}): string =>
  JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'x'.repeat(30) }], ...fields })

/** Runs a chat request through all verbs. */
export function ask(
  { house }: HouseDouble,
  body: ArrivalSpec['body'] = {},
  spec: Omit<ArrivalSpec, 'body'> = {},
): Asking & { readonly answer: Promise<Response> } {
  const asked = asking({ body, ...spec })
  return { ...asked, answer: run(house, asked.arrival) }
}

/** A body that comes in pieces, when the test sends them. */
export function upload() {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made
    },
  })
  return {
    body,
    send: (piece: string | Uint8Array): void => controller?.enqueue(Buffer.from(piece)),
    end: (): void => controller?.close(),
    fail: (error: Error): void => controller?.error(error),
  }
}
