import { badHost } from './bad-host.ts'

/**
 * The origin under which a request reached us: the host that it names, and `https` where the proxy before us says so. To be shown to
 * whoever asked, and for nothing else: both are the caller's own word. Throws 400 for a host that is none.
 */
export function originAsked(request: Request): string {
  const url = URL.parse(request.url)
  if (url === null) throw badHost()
  return `${request.headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'}://${url.host}`
}
