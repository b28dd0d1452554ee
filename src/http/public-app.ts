import { type AnyElysia, Elysia } from 'elysia'
import { type DialectName, isSpokenTo } from '../domain/index.ts'
import { type AddressRange, timeOrderedId } from '../lib/index.ts'
import type { House } from '../pipeline/index.ts'
import type { OutsideRequest } from './admin/index.ts'
import { pathnameOf } from './bad-host.ts'
import { type CorsSetting, corsPreflight, withCors } from './cors.ts'
import { operationDoc } from './document/operation-doc.ts'
import { SAMPLE_MODEL } from './document/sample-model.ts'
import { edgeError, errorResponse } from './errors.ts'
import { type HealthParts, health } from './health.ts'
import { type MetricsParts, metrics } from './metrics.ts'
import { openapiDocument } from './openapi.ts'
import { arrivalOf, type Operation, operations } from './operations/index.ts'
import { originAsked } from './origin-asked.ts'
import { PREFIXES, surfaceAt } from './prefixes.ts'
import { createReports, type ReportDeps } from './reports/index.ts'
import { type SwaggerPage, swagger } from './swagger.ts'

export interface PublicEdge extends MetricsParts {
  readonly house: House
  readonly reports: Pick<ReportDeps, 'accounts' | 'store' | 'vault'>
  readonly readiness: HealthParts['readiness']
  /** The admin API, for who comes over the network. */
  admin(outside: OutsideRequest): Promise<Response>
  /** The front page as it stands now, for who reaches us under this origin. */
  frontPage(origin: string): { readonly html: string; readonly etag: string }
  readonly swaggerPage: SwaggerPage
  readonly version: string
  /** Further apps whose operations the document shows. */
  readonly documented: readonly AnyElysia[]
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustedProxies(): readonly AddressRange[]
  /** Pages of which origins may read answers of the operations. */
  cors(): CorsSetting
}

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2454d6"/><path d="M4 8h3l2-3h3M7 8l2 3h3" fill="none" stroke="#fff" stroke-width="1.6"/></svg>'

/** The public edge: routes, and errors as JSON. Thin: everything is decided behind it. */
export function createPublicApp(edge: PublicEdge) {
  const { house, readiness, frontPage, swaggerPage, trustedProxies, cors } = edge
  const requestId = () => `req_${timeOrderedId(house.clock.wallMs(), house.random)}`
  const ids = () => ({ 'x-request-id': requestId() })
  let made = { samples: '', text: '' } // making it holds everybody up for some 10 ms
  const document = (): string => {
    const models = [...house.catalogue().models.values()]
    const sampleOf = (dialect: DialectName) => models.find((model) => isSpokenTo(model, dialect))?.id
    const sampleModel = sampleOf('openai') ?? SAMPLE_MODEL
    const sampleOfMessages = sampleOf('anthropic') ?? sampleModel
    const samples = `${sampleModel} ${sampleOfMessages}`
    if (made.samples !== samples) {
      const source = { version: edge.version, apps: [app, ...edge.documented], sampleModel, sampleOfMessages }
      made = { samples, text: JSON.stringify(openapiDocument(source)) }
    }
    return made.text
  }
  const server = (): AnyElysia['server'] => app.server
  const direct: DirectRoutes = {}
  // Else Elysia looks for the path from the 12th character on, and misses it behind a short host (`http://gw/`).
  const app = new Elysia({ normalize: false, handler: { standardHostname: false }, serve: { routes: direct } })
    // Taken apart here: a handler that hands its whole context on makes Elysia read cookies, query and headers of every request.
    .onError(({ code, error: thrown, request }) => {
      const id = requestId()
      const preflight = corsPreflight(request, cors(), id)
      if (preflight !== null) return preflight // no route: nothing stands before the answers to real requests
      const error = edgeError({ code, error: thrown, request }, app.routes)
      if (error.code === 'internal_error') house.log.error('edge', { request_id: id, internal: error.details.internal })
      const surface = surfaceAt(pathnameOf(request))
      return withCors(errorResponse(error, id, surface), request.headers.get('origin'), cors())
    })
    .use(health({ readiness, ids }))
    .use(metrics(edge))
    .use(createReports({ house, server, trustedProxies, cors, ...edge.reports }))
    .use(swagger({ page: swaggerPage, document, ids }))
    .use(pages(frontPage, ids))

  app.all('/admin/v1/*', ({ request }) => edge.admin({ request, liftIdleLimit: () => server()?.timeout(request, 0) }), {
    parse: 'none',
    ...HIDDEN,
  })
  for (const { prefix, surfaces } of PREFIXES) {
    for (const operation of operations) {
      const surface = surfaces[operation.dialect ?? 'openai']
      if (operation.only !== undefined && operation.only !== surface) continue
      const kind = { operation: operation.name, surface }
      const detail = operationDoc(operation.doc, { surface, isTimed: true })
      const path = prefix + operation.path
      const door = { server, trustedProxies }
      const serve = (request: Request): Promise<Response> => {
        const answer = operation.serve(house, arrivalOf(kind, request, door))
        if (cors() === 'off') return answer
        return answer.then((response) => withCors(response, request.headers.get('origin'), cors()))
      }
      app.route(operation.method, path, ({ request }) => serve(request), { parse: 'none', detail }) // no schema: nothing but the dialect reads a body
      if (!/[:*]/.test(path)) direct[path] = { ...direct[path], [operation.method]: serve }
    }
  }

  return app
}

/** The front page and its icon. */
function pages(frontPage: PublicEdge['frontPage'], ids: () => Record<string, string>) {
  const icon = { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' }
  return new Elysia()
    .get(
      '/',
      ({ request }) => {
        const { html, etag } = frontPage(originAsked(request))
        const headers = { ...ids(), ...PAGE_HEADERS, etag }
        const isKnown = request.headers.get('if-none-match')?.includes(etag) ?? false
        return isKnown ? new Response(null, { status: 304, headers }) : new Response(html, { headers })
      },
      HIDDEN,
    )
    .get('/favicon.ico', () => new Response(FAVICON, { headers: { ...ids(), ...icon } }), HIDDEN)
}

/** Of the server's own table, which calls what serves an operation without a context made for it. Everything else is Elysia's. */
type DirectRoutes = Record<string, Partial<Record<Operation['method'], (request: Request) => Promise<Response>>>>

const HIDDEN = { detail: { hide: true } } as const

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
}
