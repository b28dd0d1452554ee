import { GatewayError } from '../domain/index.ts'

/** The refusal of a request whose Host header is no host: Bun makes no URL of it. */
export const badHost = (): GatewayError =>
  new GatewayError('invalid_request', "The 'Host' header of the request does not name a host.")

/** The URL of a request. Throws 400 for a host that is none. */
export function urlOf({ url: text }: Request): URL {
  const url = URL.parse(text)
  if (url === null) throw badHost()
  return url
}

/** The path of a request, also behind a host that is none: it says how an error is written. */
export const pathnameOf = ({ url }: Request): string =>
  URL.parse(url)?.pathname ?? url.replace(/^\w+:\/\/[^/]*|[?#].*/g, '')
