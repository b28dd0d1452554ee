import type { ServerSettings } from '../domain/index.ts'

/** Pages of which origins may read answers. */
export type CorsSetting = ServerSettings['cors']

/**
 * Answers a browser's question whether a page may send a request (Fetch standard, 3.3): it needs no key. Every method and header asked for
 * is allowed by name, for `*` would leave out `authorization`; what the request itself may do is decided when it comes. Null for what
 * is no such question, and while CORS is off.
 */
export function corsPreflight({ method, headers }: Request, setting: CorsSetting, requestId: string): Response | null {
  const wantedMethod = headers.get('access-control-request-method') ?? ''
  const wantedHeaders = headers.get('access-control-request-headers') ?? ''
  if (setting === 'off' || method !== 'OPTIONS' || !headers.has('origin')) return null
  if (!METHOD.test(wantedMethod) || !HEADER_LIST.test(wantedHeaders)) return null
  const answer = new Response(null, { status: 204, headers: { 'x-request-id': requestId } })
  if (!isAllowed(headers.get('origin'), setting)) return varying(answer)
  answer.headers.set('access-control-allow-methods', wantedMethod)
  if (wantedHeaders !== '') answer.headers.set('access-control-allow-headers', wantedHeaders)
  answer.headers.set('access-control-max-age', String(AGE_S_MAX))
  return withCors(answer, headers.get('origin'), setting)
}

/** The same answer, with the headers that let the page it goes to read it. Untouched while CORS is off. */
export function withCors(answer: Response, origin: string | null, setting: CorsSetting): Response {
  if (setting === 'off') return answer
  if (origin !== null && isAllowed(origin, setting)) {
    answer.headers.set('access-control-allow-origin', setting === '*' ? '*' : origin)
    answer.headers.set('access-control-expose-headers', EXPOSED)
  }
  return varying(answer)
}

const AGE_S_MAX = 7200 // the most that Chromium keeps
const METHOD = /^[A-Z]{1,20}$/
const HEADER_LIST = /^[\w!#$%&'*+.^`|~, -]{0,4096}$/

/** What scripts may read beside the content type: everything that a client of ours reads. */
const EXPOSED = [
  'x-request-id',
  'request-id',
  'x-generation-id',
  'server-timing',
  'x-anyrouter-explain',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ')

const isAllowed = (origin: string | null, setting: CorsSetting): boolean =>
  setting === '*' || (setting !== 'off' && origin !== null && setting.includes(origin))

function varying(answer: Response): Response {
  answer.headers.append('vary', 'Origin')
  return answer
}
