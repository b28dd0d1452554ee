/**
 * The origin that a request names, and `https` where the proxy before us says so: the caller's own word, to be shown to whoever asked and for nothing
 * else. Null for a host that is none.
 */
export function askedOrigin(request: Pick<Request, 'headers' | 'url'>): string | null {
  const url = URL.parse(request.url)
  if (url === null) return null
  return `${request.headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http'}://${url.host}`
}
