import { GatewayError } from '../domain/index.ts'

/** A body, or the next piece of one that is passed on as it comes, may take so long. */
export const BODY_MS_MAX = 60_000

/** More than is taken. */
export const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `The request body is larger than ${bytesMax} bytes.`, {
    headers: { connection: 'close' },
  })

/** Nothing came for too long. */
export const tooSlow = (): GatewayError =>
  new GatewayError('request_timeout', `The request body did not arrive within ${BODY_MS_MAX / 1000} s.`, {
    headers: { connection: 'close' },
  })
