import { GatewayError } from '../../domain/index.ts'
import { badHost } from '../bad-host.ts'

/** What a request's path has behind this segment, decoded, and its query with the `?`. Throws 400 for what is not validly encoded. */
export function pathSegment(request: Request, segment: string): { readonly value: string; readonly query: string } {
  const url = URL.parse(request.url)
  if (url === null) throw badHost()
  const before = `/${segment}/`
  const rest = url.pathname.slice(url.pathname.indexOf(before) + before.length)
  try {
    return { value: decodeURIComponent(rest.split('/')[0] ?? ''), query: url.search }
  } catch {
    throw new GatewayError('invalid_request', 'The id in the path is not validly encoded.', { param: 'id' })
  }
}
