import { GatewayError } from '../../domain/index.ts'

/** The bytes of a body, at most so many: what says that it is longer is not read at all. Throws 413, 415. */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity')
    throw new GatewayError('unsupported_encoding', 'The request body is encoded. Send it as it is.')
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > bytesMax) throw tooLarge(bytesMax)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `The request body is larger than ${bytesMax} bytes.`, {
    headers: { connection: 'close' },
  })
