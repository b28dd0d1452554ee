import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import uiStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import uiScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

/** The page around Swagger UI: HTML that loads `ui.css`, `page.css`, `ui.js`, `page.js` below its own path, the last in this order. */
export interface SwaggerPage {
  readonly html: string
  readonly style: string
  readonly script: string
}

export interface SwaggerParts {
  readonly page: SwaggerPage
  /** The OpenAPI document as it stands now, in JSON. */
  document(): string
  /** What every answer carries. */
  ids(): Readonly<Record<string, string>>
}

const HIDDEN = { detail: { hide: true } } as const
const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** `/swagger`, what it is made of, and `/swagger/json`: all from the executable, nothing from elsewhere. */
export function swagger({ page, document, ids }: SwaggerParts) {
  const text = (body: string, contentType: string) => () =>
    new Response(body, { headers: { ...ids(), ...HEADERS, 'content-type': contentType, 'cache-control': 'no-cache' } })
  const file = (path: string, contentType: string) => {
    const packed = packedOnce(path)
    return async ({ request }: { readonly request: Request }) => {
      const headers = { ...ids(), ...HEADERS, ...KEPT, 'content-type': contentType }
      if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? ''))
        return new Response(Bun.file(path), { headers })
      return new Response(await packed(), { headers: { ...headers, 'content-encoding': 'gzip' } })
    }
  }
  return new Elysia()
    .get('/swagger', text(page.html, HTML), HIDDEN)
    .get('/swagger/page.css', text(page.style, CSS), HIDDEN)
    .get('/swagger/page.js', text(page.script, SCRIPT), HIDDEN)
    .get('/swagger/ui.css', file(uiStyle, CSS), HIDDEN)
    .get('/swagger/ui.js', file(uiScript, SCRIPT), HIDDEN)
    .get(
      '/swagger/json',
      () =>
        new Response(document(), {
          headers: { ...ids(), 'content-type': 'application/json', 'cache-control': 'no-cache' },
        }),
      HIDDEN,
    )
}

/** Scripts and styles from here alone, and none that stand in a page. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const KEPT = { 'cache-control': 'max-age=3600', vary: 'accept-encoding' }

const packing = promisify(gzip)

/** The gzip of a file, made in a thread when it is first asked for: 1.7 MB of script are 0.5 MB. */
function packedOnce(path: string): () => Promise<Uint8Array> {
  let packed: Promise<Uint8Array> | null = null
  return () => {
    packed ??= Bun.file(path)
      .bytes()
      .then((bytes) => packing(bytes))
    return packed
  }
}
