import { GatewayError } from '../../domain/index.ts'
import { badHost } from '../bad-host.ts'

/** What stands behind `before` in the path of a request, its slashes plain or as `%2F`. Throws 400. */
export function modelIdIn(request: Request, before: string): string {
  const url = URL.parse(request.url)
  if (url === null) throw badHost()
  try {
    return decodeURIComponent(url.pathname.slice(url.pathname.indexOf(before) + before.length))
  } catch {
    throw new GatewayError('invalid_request', 'The model id in the path is not validly encoded.', { param: 'model' })
  }
}
