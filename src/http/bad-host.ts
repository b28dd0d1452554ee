import { GatewayError } from '../domain/index.ts'

/** The refusal of a request whose Host header is no host: Bun makes no URL of it. */
export const badHost = (): GatewayError =>
  new GatewayError('invalid_request', "The 'Host' header of the request does not name a host.")
