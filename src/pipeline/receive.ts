import { GatewayError } from '../domain/index.ts'
import { type Call, leaving, shuttingDown } from './call.ts'
import type { House } from './house.ts'
import { BODY_MS_MAX, tooLarge, tooSlow } from './upload.ts'

/** The head of a request: its secrets, in the order they are tried. */
export interface Head {
  readonly secrets: readonly string[]
  readonly bodyBytesDeclared: number | null
}

const HEAD_BYTES_MAX = 32_768
const UNKNOWN_BYTES_MAX = 64 * 1024 * 1024
const HEADER_OVERHEAD_BYTES = 4 // ": " and the line end
const UNENCODED = /^(identity)?$/i
const ENCODING_SHOWN_MAX = 40
const BEARER = /^bearer +(\S+)\s*$/i

/** Reads the head: bounds it, refuses what cannot be served before a byte of the body is read. Throws 413, 415, 431, 503. */
export function receiveHead(house: House, call: Call, bodyBytesMax = call.settings.bodyBytesMax): Head {
  const { limits } = call.settings
  if (house.traffic.draining) throw shuttingDown()
  if (house.traffic.inFlight > limits.requestsInFlightMax) {
    throw new GatewayError('too_many_requests_in_flight', 'Too many requests are in progress. Please try again.', {
      retryAfterMs: 1000,
    })
  }
  const { headers } = call.arrival.request
  let headBytes = 0
  headers.forEach((value, name) => {
    headBytes += name.length + value.length + HEADER_OVERHEAD_BYTES
  })
  if (headBytes > HEAD_BYTES_MAX)
    throw new GatewayError('head_too_large', `The request head is larger than ${HEAD_BYTES_MAX} bytes.`)

  const declared = headers.get('content-length')
  const bodyBytesDeclared = declared !== null && /^\d+$/.test(declared) ? Number(declared) : null
  if (bodyBytesDeclared !== null && bodyBytesDeclared > bodyBytesMax) throw tooLarge(bodyBytesMax)
  const encoding = headers.get('content-encoding')?.trim() ?? ''
  if (!UNENCODED.test(encoding)) throw encoded(encoding)
  return { secrets: secretsOf(headers), bodyBytesDeclared }
}

/** `Authorization: Bearer`, `x-api-key` and `api-key`: whichever is a valid key counts, so all are kept. */
export function secretsOf(headers: Headers): string[] {
  const secrets: string[] = []
  for (const secret of [
    BEARER.exec(headers.get('authorization') ?? '')?.[1],
    headers.get('x-api-key'),
    headers.get('api-key'),
  ]) {
    if (secret !== undefined && secret !== null && secret !== '' && !secrets.includes(secret)) secrets.push(secret)
  }
  return secrets
}

/**
 * Reads the body: whole, bounded in size and time. While the key is not known (`keyIsKnown` pending) the bytes of all
 * such bodies are bounded together; past the bound the key comes first. Throws 400, 408, 413, and what `keyIsKnown` throws.
 */
export function receiveBody(
  house: House,
  call: Call,
  { bodyBytesDeclared }: Head,
  keyIsKnown: Promise<unknown> | null,
): Promise<Uint8Array> {
  // Asking for the body makes a stream of it, through which it is then read: that costs a short one several times its reading.
  if (bodyBytesDeclared === null && call.arrival.request.body === null) return Promise.resolve(new Uint8Array(0))
  if (bodyBytesDeclared !== null) call.place?.add(bodyBytesDeclared)
  return keyIsKnown === null
    ? bytesOf(house, call, bodyBytesDeclared)
    : bytesOfUnknown(house, call, bodyBytesDeclared, keyIsKnown)
}

async function bytesOfUnknown(
  house: House,
  call: Call,
  declaredBytes: number | null,
  keyIsKnown: Promise<unknown>,
): Promise<Uint8Array> {
  let reserved = declaredBytes ?? call.settings.bodyBytesMax
  if (house.traffic.unknownBytes + reserved > UNKNOWN_BYTES_MAX) await keyIsKnown
  house.traffic.unknownBytes += reserved
  const giveBack = (): void => {
    house.traffic.unknownBytes -= reserved
    reserved = 0
  }
  keyIsKnown.then(giveBack, () => {}) // a bad key stays one that is not known
  try {
    return await bytesOf(house, call, declaredBytes)
  } finally {
    giveBack()
  }
}

/** The body, or what ends its reading before. */
function bytesOf(house: House, call: Call, declaredBytes: number | null): Promise<Uint8Array> {
  const { request } = call.arrival
  const reading = declaredBytes === null ? readCounted(request.body, call) : request.bytes()
  return inTime(house, call, reading)
}

/** What is read, or what ends its reading before: its time, its caller, the gateway's own end. */
export function inTime<Read>(house: House, call: Call, reading: Promise<Read>): Promise<Read> {
  if (call.leave.reason !== null) {
    reading.catch(() => {}) // nobody waits for it
    return Promise.reject(left(call))
  }
  const { promise, resolve, reject } = Promise.withResolvers<Read>()
  const end = (): void => {
    call.isReceiving = false
    cancelTimer()
    unlisten()
  }
  const fail = (error: unknown): void => {
    end()
    reject(error)
  }
  call.isReceiving = true
  const cancelTimer = house.clock.after(BODY_MS_MAX, () => fail(tooSlow()))
  const unlisten = call.leave.onFire(() => fail(left(call)))
  reading.then(
    (read) => {
      end()
      resolve(read)
    },
    (error) => fail(error instanceof GatewayError ? error : unreadable(call, error)),
  )
  return promise
}

const left = (call: Call): GatewayError =>
  leaving(call) ?? new GatewayError('client_closed_request', 'The caller left.')

const unreadable = (call: Call, error: unknown): GatewayError =>
  leaving(call) ??
  new GatewayError('invalid_request', 'The request body could not be read.', { internal: String(error) })

async function readCounted(body: ReadableStream<Uint8Array> | null, { place, settings }: Call): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0)
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    try {
      if (size > settings.bodyBytesMax) throw tooLarge(settings.bodyBytesMax)
      place?.add(value.byteLength)
    } catch (error) {
      await reader.cancel()
      throw error
    }
    pieces.push(value)
  }
  return Buffer.concat(pieces)
}

/** What is not unpacked is not parsed either: its bytes would be called bad JSON. The header is RFC 7694's way to name what is taken. */
const encoded = (encoding: string) =>
  new GatewayError(
    'unsupported_encoding',
    `The request body is encoded (content-encoding: ${encoding.slice(0, ENCODING_SHOWN_MAX)}). Send it without that.`,
    { headers: { 'accept-encoding': 'identity', connection: 'close' } },
  )
