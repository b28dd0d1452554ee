import type { BodyRest, OutgoingRequest, Slot } from '../../agents/index.ts'
import { credentialHeaders, type Dialect, type RequestFacts } from '../../dialects/index.ts'
import type { Backend, OperatorCredential } from '../../domain/index.ts'
import { basePath } from '../../lib/index.ts'
import type { AffordableCandidate, PreparedRequest } from '../handover.ts'
import type { Upload } from '../upload.ts'

const USER_AGENT = 'anyrouter'
const JSON_TYPE = 'application/json'

/** The request as it goes out to a candidate: the caller's bytes with what the dialect must change, and our credential. */
export function outgoingRequest({ candidate, prepared, credential }: Sending, dialect: Dialect): OutgoingRequest {
  const { offer, outputLimit } = candidate
  const { backend } = offer
  const { facts, passed, upload } = prepared
  const body = dialect.writeRequest(facts, { model: offer.providerModel, askUsage: facts.stream, outputLimit })
  return {
    method: 'POST',
    target: basePath(backend.baseUrl) + dialect.path(facts.operation) + passed.query,
    headers:
      passed.headers.length === 0 && facts.bodyType === undefined
        ? usualHeaders(backend, acceptOf(facts), credential)
        : headersOf(backend, { bodyType: facts.bodyType, accept: acceptOf(facts), passed: passed.headers }, credential),
    body,
    ...(upload === undefined ? {} : { rest: restOf(upload, body.byteLength - facts.body.byteLength) }),
    limits: { connectMs: offer.limits.connectMs, idleMs: offer.limits.idleMs },
    resend: backend.resend,
  }
}

function headersOf(
  { dialects }: Backend,
  { bodyType = JSON_TYPE, accept, passed }: Told,
  credential: OperatorCredential | null,
): Headers {
  return [
    ['content-type', bodyType],
    ['accept', accept],
    ['accept-encoding', 'identity'],
    ['user-agent', USER_AGENT],
    ...passed,
    ...credentialHeaders(dialects, credential?.secret ?? null),
  ]
}

/** What differs between the heads of requests to one backend. */
interface Told {
  readonly bodyType?: string | undefined
  readonly accept: string
  readonly passed: Headers
}

/** The usual heads by backend, credential and accepted type, for as long as backend and credential exist: most requests are sent the same list. */
const usual = new WeakMap<Backend, WeakMap<object, Map<string, Headers>>>()
const NO_CREDENTIAL = {}

function usualHeaders(backend: Backend, accept: string, credential: OperatorCredential | null): Headers {
  const ofBackend = had(usual, backend, () => new WeakMap())
  const lists = had(ofBackend, credential ?? NO_CREDENTIAL, () => new Map<string, Headers>())
  let headers = lists.get(accept)
  if (headers === undefined) {
    headers = headersOf(backend, { accept, passed: [] }, credential)
    lists.set(accept, headers)
  }
  return headers
}

function had<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

type Headers = OutgoingRequest['headers']

/** What follows a body that became longer by so many bytes. */
const restOf = (upload: Upload, addedBytes: number): BodyRest => ({
  bodyBytes: upload.bodyBytes === null ? null : upload.bodyBytes + addedBytes,
  read: () => upload.read(),
})

/** Of a form that is still coming nobody knows yet what it asks for. */
function acceptOf({ isBinary, isOpen, textual, stream }: RequestFacts): string {
  if (isBinary || isOpen) return '*/*'
  if (stream) return 'text/event-stream'
  return textual === undefined ? JSON_TYPE : '*/*'
}

/** One request to be sent to a candidate. The slot stays with who asks for it. */
export interface Sending {
  readonly candidate: AffordableCandidate
  readonly prepared: PreparedRequest
  readonly credential: OperatorCredential | null
  readonly slot: Slot
}
