import { GatewayError, type ProviderError } from '../domain/index.ts'
import { SseOverflow } from '../lib/index.ts'

/** The error of a stream that is none of its dialect: it came with status 200, as every stream does. */
export const streamFailure = (message: string): ProviderError => ({
  status: 200,
  message,
  type: null,
  code: null,
  param: null,
})

/** What reading events threw, as the pipeline knows it: an event beyond the bound breaks its stream. */
export const asStreamError = (thrown: unknown): unknown =>
  thrown instanceof SseOverflow
    ? new GatewayError('stream_broken', `The provider sent an event that cannot be relayed: ${thrown.message}.`)
    : thrown
