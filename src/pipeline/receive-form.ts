import { dialectOf, type FormReader, surfaceOf } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import { Bug } from '../lib/index.ts'
import type { Arrival, Call } from './call.ts'
import type { ReceivedForm } from './handover.ts'
import type { House } from './house.ts'
import { type Head, inTime } from './receive.ts'
import { type ByteReader, Upload } from './upload.ts'

/** So much is waited for in any case, at a form's beginning and at its end: what is there as a whole can be sent again, to another candidate. */
const WAITED_BYTES = 1024 * 1024

/**
 * Reads a form until it is known where it is to be sent: whole when it is small, or says that after its files; never more than
 * `server.body_bytes_max` of it. The key comes first. Throws 400, 408, 413, and what `keyIsKnown` throws.
 */
export async function receiveForm(
  house: House,
  call: Call,
  head: Head,
  keyIsKnown: Promise<unknown> | null,
): Promise<ReceivedForm> {
  if (keyIsKnown !== null) await keyIsKnown
  const { request, operation, surface } = call.arrival
  const form = dialectOf(surfaceOf(surface).dialect).openForm?.(operation, request.headers.get('content-type') ?? '')
  if (form === undefined) throw new Bug(`${operation} is not asked in a form`)
  if (request.body === null) {
    form.end()
    return { form, body: new Uint8Array(0), upload: null }
  }
  const reader: ByteReader = request.body.getReader()
  try {
    const gathered = new Gathered(head.bodyBytesDeclared)
    const isWhole = await inTime(house, call, gather(reader, form, call, gathered))
    const { size } = gathered
    const body = gathered.bytes()
    const bodyBytes = head.bodyBytesDeclared
    const bytesMax = call.settings.uploadBytesMax
    return {
      form,
      body,
      upload: isWhole ? null : new Upload(house.clock, { reader, form, readBytes: size, bodyBytes, bytesMax }),
    }
  } catch (error) {
    void reader.cancel().catch(() => {}) // what comes is thrown away
    throw error
  }
}

type Asked = Pick<Arrival, 'operation' | 'surface' | 'request'>
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/i

/** Whether a request brings a form: its operation is asked in one, and it is not asked in JSON where that is possible too. */
export function isForm(arrival: Asked): boolean {
  return dialectAt(arrival).forms?.has(arrival.operation) === true && !isInJson(arrival)
}

const dialectAt = ({ surface }: Asked) => dialectOf(surfaceOf(surface).dialect)

function isInJson(arrival: Asked): boolean {
  if (dialectAt(arrival).jsonForms?.has(arrival.operation) !== true) return false
  return JSON_TYPE.test(arrival.request.headers.get('content-type') ?? '')
}

/** The form that a whole body in JSON stands for; null where the operation is asked in JSON itself. Throws what the dialect says of it. */
export function formOfJson(arrival: Asked, json: Uint8Array): ReceivedForm | null {
  const made = dialectAt(arrival).jsonForms?.get(arrival.operation)?.(json)
  return made === undefined ? null : { ...made, upload: null }
}

/** Whether it is whole. */
async function gather(
  reader: ByteReader,
  form: FormReader,
  { place, settings }: Call,
  gathered: Gathered,
): Promise<boolean> {
  const bytesMax = settings.bodyBytesMax
  const waitedBytes = Math.min(WAITED_BYTES, bytesMax)
  const { declaredBytes } = gathered
  for (;;) {
    const next = await reader.read()
    if (next.done) {
      form.end()
      return true
    }
    place?.add(next.value.byteLength)
    form.push(next.value)
    gathered.add(next.value)
    const { size } = gathered
    const isLong = declaredBytes === null || declaredBytes > bytesMax || declaredBytes - size > waitedBytes
    if (isLong && size >= waitedBytes && form.isEnough) return false
    if (size > bytesMax) throw tooLate(bytesMax)
    if (size >= waitedBytes && declaredBytes !== null && declaredBytes <= bytesMax) gathered.makeRoom(declaredBytes)
  }
}

/** Bytes of a body: in pieces while they are few, else in one place, so that the pieces are free again. */
class Gathered {
  readonly declaredBytes: number | null
  size = 0
  #pieces: Uint8Array[] = []
  #room: Buffer | null = null

  constructor(declaredBytes: number | null) {
    this.declaredBytes = declaredBytes
  }

  add(bytes: Uint8Array): void {
    if (this.#room === null) this.#pieces.push(bytes)
    else this.#room.set(bytes, this.size)
    this.size += bytes.byteLength
  }

  /** For all that will come. */
  makeRoom(wholeBytes: number): void {
    if (this.#room !== null) return
    const room = Buffer.allocUnsafeSlow(wholeBytes)
    room.set(this.bytes())
    this.#pieces = []
    this.#room = room
  }

  bytes(): Uint8Array {
    if (this.#room !== null) return this.#room.subarray(0, this.size)
    const [only] = this.#pieces
    return this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces)
  }
}

const tooLate = (bytesMax: number): GatewayError =>
  new GatewayError(
    'body_too_large',
    `The form is larger than ${bytesMax} bytes, and does not say before its files what is to be done: put 'model' first.`,
    { param: 'model', headers: { connection: 'close' } },
  )
