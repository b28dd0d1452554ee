import { GatewayError } from '../../domain/index.ts'
import { urlOf } from '../bad-host.ts'

/** What a request's path has behind this segment, decoded, and its query with the `?`. Throws 400 for what is not validly encoded. */
export function pathSegment(request: Request, segment: string): { readonly value: string; readonly query: string } {
  const url = urlOf(request)
  const [first = ''] = behind(url, `/${segment}/`).split('/')
  return { value: decoded(first, 'The id', 'id'), query: url.search }
}

/** What stands behind `before` in the path of a request, its slashes plain or as `%2F`. Throws 400. */
export const modelIdIn = (request: Request, before: string): string =>
  decoded(behind(urlOf(request), before), 'The model id', 'model')

const behind = ({ pathname }: URL, before: string): string => pathname.slice(pathname.indexOf(before) + before.length)

function decoded(text: string, what: string, param: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new GatewayError('invalid_request', `${what} in the path is not validly encoded.`, { param })
  }
}
