import { Elysia } from 'elysia'
import { type AddressRange, timeOrderedId } from '../lib/index.ts'
import type { House } from '../pipeline/index.ts'
import { edgeError, errorResponse } from './errors.ts'
import { arrivalOf, operations } from './operations/index.ts'

export interface PublicEdge {
  readonly house: House
  /** Whether requests can be served: the database is open and some backend is usable. Words when not. */
  readiness(): { readonly ready: boolean; readonly reason: string | null }
  /** The front page's HTML as it stands now. */
  frontPage(): string
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustedProxies(): readonly AddressRange[]
}

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2454d6"/><path d="M4 8h3l2-3h3M7 8l2 3h3" fill="none" stroke="#fff" stroke-width="1.6"/></svg>'

/** The public edge: routes, and errors as JSON. Thin: everything is decided behind it. */
export function createPublicApp({ house, readiness, frontPage, trustedProxies }: PublicEdge) {
  const requestId = () => `req_${timeOrderedId(house.clock.wallMs(), house.random)}`
  const ids = () => ({ 'x-request-id': requestId() })
  // Else Elysia looks for the path from the 12th character on, and misses it behind a short host (`http://gw/`).
  const app = new Elysia({ handler: { standardHostname: false } })
    // Taken apart here: a handler that hands its whole context on makes Elysia read cookies, query and headers of every request.
    .onError(({ code, error: thrown, request }) => {
      const error = edgeError({ code, error: thrown, request }, app.routes)
      const id = requestId()
      if (error.code === 'internal_error') house.log.error('edge', { request_id: id, internal: error.details.internal })
      return errorResponse(error, id)
    })
    .get('/healthz', () => Response.json({ status: 'ok' }, { headers: ids() }))
    .get('/readyz', () => {
      const { ready, reason } = readiness()
      return Response.json(
        { status: ready ? 'ready' : 'not ready', reason },
        { status: ready ? 200 : 503, headers: ids() },
      )
    })
    .get('/', () => new Response(frontPage(), { headers: { ...ids(), ...PAGE_HEADERS } }))
    .get(
      '/favicon.ico',
      () =>
        new Response(FAVICON, {
          headers: { ...ids(), 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' },
        }),
    )

  for (const operation of operations) {
    app.route(
      operation.method,
      operation.path,
      ({ request, server }) => operation.serve(house, arrivalOf(operation.name, request, { server, trustedProxies })),
      { parse: 'none' },
    )
  }

  return app
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
}
