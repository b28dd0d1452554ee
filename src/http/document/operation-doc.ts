import type { TObject, TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import { type SurfaceName, surfaceOf } from '../../dialects/index.ts'
import { type ErrorCode, errorRow, GatewayError } from '../../domain/index.ts'
import { publicError } from '../../pipeline/index.ts'
import { ERROR_SCHEMAS } from './error-schemas.ts'
import { examples } from './examples.ts'
import { INFERENCE_ERRORS } from './inference-errors.ts'
import type { Tag } from './tags.ts'
import { WISH_FIELDS } from './wish-fields.ts'

/**
 * Who may call: anybody, anybody too but as whom a key says that is shown, an account's key, or a management key (`openapiDocument` adds the scope, which
 * is the route's).
 */
export type Access = 'anybody' | 'key_if_any' | 'key' | 'management'

/** What a caller is told of an operation. The schemas of path and query, and of a body that the edge reads, are the route's own. */
export interface OperationDoc {
  readonly tag: Tag
  /** One line, no full stop. */
  readonly summary: string
  /** Markdown. */
  readonly description?: string
  readonly access: Access
  /** Under OpenRouter's prefix, where it differs. */
  readonly openrouterAccess?: Access
  readonly answer: AnswerDoc
  /** In OpenRouter's form, where it differs. */
  readonly openrouterAnswer?: AnswerDoc
  /** One that is no error, but not what is hoped for. */
  readonly otherAnswer?: AnswerDoc
  /** Takes an `Idempotency-Key`. */
  readonly once?: boolean
  /** Answers with an `ETag`. */
  readonly tagged?: boolean
  /** Takes `If-Match`. */
  readonly conditional?: boolean
  /** A provider works on it: callers may say how it is routed, and much may go wrong. */
  readonly routed?: true
  /** Nobody is charged for it, so nobody is refused for want of money. */
  readonly isFree?: true
  /** What its body may name of that which providers keep: what the account has nothing of is a 400. */
  readonly names?: keyof typeof UNKNOWN_NAMES
  /** Beside those that every operation of this access and form has. */
  readonly errors?: readonly ErrorCode[]
  /** Bodies by what they show; each gets the status of `answer`. */
  readonly requests?: Readonly<Record<string, unknown>>
  /** Of the bodies; JSON when absent. */
  readonly requestType?: string
  /** Of a body that the pipeline reads: it stands for nothing but the document. */
  readonly body?: TObject
  /** What may be sent in place of a form. */
  readonly inJson?: { readonly body: TObject; readonly example: unknown }
}

export interface AnswerDoc {
  readonly status: number
  readonly description: string
  /** By media type. */
  readonly content: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>
}

/** Where an operation stands. */
export interface Place {
  readonly surface: SurfaceName
  /** Its answers say where the time went. */
  readonly isTimed: boolean
}

const JSON_TYPE = 'application/json'

/** An answer in JSON. */
export const jsonAnswer = (status: number, description: string, schema: TSchema, example: unknown): AnswerDoc => ({
  status,
  description,
  content: { [JSON_TYPE]: { schema, example } },
})

/** The `detail` of a route: what `openapiDocument` makes its operation of. */
export function operationDoc(given: OperationDoc, where: Partial<Place> = {}): DocumentDecoration {
  const place: Place = { surface: 'openai', isTimed: false, ...where }
  const isOpenRouter = surfaceOf(place.surface).isStamped
  const doc = isOpenRouter ? { ...given, access: given.openrouterAccess ?? given.access } : given
  const { tag, summary, description, access, otherAnswer, requests, requestType = JSON_TYPE, body } = doc
  const answer = isOpenRouter ? (doc.openrouterAnswer ?? doc.answer) : doc.answer
  const shown = Object.entries(requests ?? {}).map(([name, value]) => [name, { value }])
  const media = {
    ...(body === undefined ? {} : { schema: bodySchema(body, doc) }),
    ...(shown.length === 0 ? {} : { examples: Object.fromEntries(shown) }),
  }
  const parameters = [
    ...(doc.once ? [IDEMPOTENCY_KEY] : []),
    ...(doc.conditional ? [IF_MATCH] : []),
    ...(doc.routed ? ROUTING : []),
    ...(doc.routed && isOpenRouter ? [METADATA] : []),
  ]
  return {
    tags: [isOpenRouter ? 'OpenRouter' : tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requests === undefined
      ? {}
      : { requestBody: { required: true, content: { [requestType]: media, ...jsonMedia(doc) } } }),
    security: SECURITY[access],
    responses: {
      [answer.status]: success(answer, doc, place),
      ...(otherAnswer === undefined ? {} : { [otherAnswer.status]: success(otherAnswer, doc, place) }),
      ...failures(doc, place),
    },
  }
}

const SECURITY: Readonly<Record<Access, Record<string, string[]>[]>> = {
  anybody: [],
  key_if_any: [{}, { apiKey: [] }],
  key: [{ apiKey: [] }],
  management: [{ managementKey: [] }],
}

const bodySchema = (body: TObject, { routed, requestType }: OperationDoc): TSchema =>
  routed && requestType === undefined ? withWishes(body) : body

const withWishes = (body: TObject): TSchema => ({ ...body, properties: { ...body.properties, ...WISH_FIELDS } })

const jsonMedia = ({ inJson }: OperationDoc) =>
  inJson === undefined
    ? {}
    : { [JSON_TYPE]: { schema: withWishes(inJson.body), examples: { Plain: { value: inJson.example } } } }

const ROUTING = ['Pin', 'MaxAttempts', 'Session', 'Explain'].map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))
const METADATA = { $ref: '#/components/parameters/Metadata' }
const IDEMPOTENCY_KEY = { $ref: '#/components/parameters/IdempotencyKey' }
const IF_MATCH = { $ref: '#/components/parameters/IfMatch' }
const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
const TIMED = { 'Server-Timing': { $ref: '#/components/headers/ServerTiming' } }
const TAGGED = { ETag: { $ref: '#/components/headers/ETag' } }

const success = ({ description, content }: AnswerDoc, { tagged }: OperationDoc, { isTimed }: Place) => ({
  description,
  headers: { ...REQUEST_ID, ...(isTimed ? TIMED : {}), ...(tagged ? TAGGED : {}) },
  content: { ...content },
})

/** Error answers by status, each with an example of every code. */
function failures(doc: OperationDoc, place: Place): Record<string, ReturnType<typeof failure>> {
  const codes = new Set<ErrorCode>([
    ...impliedErrors(doc),
    ...(doc.routed ? INFERENCE_ERRORS : []),
    ...(doc.errors ?? []),
  ])
  const all = [...codes].filter((code) => !doc.isFree || !OF_MONEY.has(code)).map(toldAs)
  if (doc.names !== undefined) all.push(...UNKNOWN_NAMES[doc.names])
  const byStatus = Map.groupBy(all, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].sort(([one], [other]) => one - other).map(([status, of]) => [status, failure(status, of, place)]),
  )
}

/** An error as callers are told of it. */
interface ToldError {
  readonly code: ErrorCode
  readonly status: number
  /** The code that they see. */
  readonly shown: string
}

const toldAs = (code: ErrorCode): ToldError => ({ code, status: errorRow(code).status, shown: code })

const OF_MONEY: ReadonlySet<ErrorCode> = new Set(['insufficient_credits', 'key_budget_exceeded'])
const UNKNOWN_NAME: ToldError = { code: 'not_stored', status: 400, shown: 'not_stored' }
const UNKNOWN_NAMES = {
  files: [UNKNOWN_NAME],
  responses: [UNKNOWN_NAME, { ...UNKNOWN_NAME, shown: 'previous_response_not_found' }],
} as const

function impliedErrors({ access, requests, requestType, inJson, once, conditional }: OperationDoc): ErrorCode[] {
  if (access === 'anybody') return []
  const codes: ErrorCode[] = ['invalid_api_key', 'head_too_large', 'storage_unavailable', 'internal_error']
  if (access !== 'key_if_any') codes.push('missing_api_key')
  if (access === 'management') codes.push('insufficient_scope')
  else codes.push('address_not_permitted', 'account_disabled')
  if (requests !== undefined) codes.push('invalid_request', 'body_too_large', 'unsupported_encoding')
  if ((requests !== undefined && requestType === undefined) || inJson !== undefined)
    codes.push('invalid_json', 'duplicate_field')
  if (once) codes.push('invalid_request', 'idempotency_key_reused')
  if (conditional) codes.push('invalid_request', 'precondition_failed')
  return codes
}

function failure(status: number, errors: readonly ToldError[], { surface, isTimed }: Place) {
  return {
    description: errors.map(({ shown }) => `\`${shown}\``).join(', '),
    headers: {
      ...REQUEST_ID,
      ...(isTimed ? TIMED : {}),
      ...(status === 429 || status === 503 ? RETRY_AFTER : {}),
    },
    content: {
      [JSON_TYPE]: {
        schema: ERROR_SCHEMAS[surface],
        examples: Object.fromEntries(errors.map((error) => [error.shown, errorExample(error, surface)])),
      },
    },
  }
}

/** Made once each: all operations together name some hundred, and the start waits for them. */
const errorExamples = new Map<string, { summary: string; value: unknown }>()

function errorExample({ code, status, shown }: ToldError, surface: SurfaceName) {
  const place = `${surface} ${status} ${shown}`
  const known = errorExamples.get(place)
  if (known !== undefined) return known
  const { meaning } = errorRow(code)
  const error = new GatewayError(code, meaning, { status, publicCode: shown })
  const body = surfaceOf(surface).writeError(publicError(error, examples.requestId))
  const example = { summary: meaning, value: JSON.parse(new TextDecoder().decode(body)) }
  errorExamples.set(place, example)
  return example
}
