import type { TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import { type ErrorCode, errorRow } from '../../domain/index.ts'
import { ERROR_SCHEMA } from './error-schema.ts'
import type { Tag } from './tags.ts'

/** Who may call: anybody, an API key, or a management key with this scope. */
export type Access = 'anybody' | 'key' | 'read' | 'write' | 'credits'

/** What a caller is told of an operation. The schemas of path and query, and of a body that the edge reads, are the route's own. */
export interface OperationDoc {
  readonly tag: Tag
  /** One line, no full stop. */
  readonly summary: string
  /** Markdown. */
  readonly description?: string
  readonly access: Access
  readonly answer: AnswerDoc
  /** One that is no error, but not what is hoped for. */
  readonly otherAnswer?: AnswerDoc
  /** Beside those that every operation of this access and form has. */
  readonly errors?: readonly ErrorCode[]
  /** Bodies by what they show; each gets the status of `answer`. */
  readonly requests?: Readonly<Record<string, unknown>>
  /** Of a body that the pipeline reads: it stands for nothing but the document. */
  readonly body?: TSchema
}

export interface AnswerDoc {
  readonly status: number
  readonly description: string
  /** By media type. */
  readonly content: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>
  /** Inference answers say where the time went. */
  readonly timed?: boolean
}

/** An answer in JSON. */
export const jsonAnswer = (status: number, description: string, schema: TSchema, example: unknown): AnswerDoc => ({
  status,
  description,
  content: { 'application/json': { schema, example } },
})

/** The `detail` of a route: what `openapiDocument` makes its operation of. */
export function operationDoc(doc: OperationDoc): DocumentDecoration {
  const { tag, summary, description, access, answer, otherAnswer, requests, body } = doc
  const examples = Object.entries(requests ?? {}).map(([name, value]) => [name, { value }])
  const media = {
    ...(body === undefined ? {} : { schema: body }),
    ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
  }
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(requests === undefined ? {} : { requestBody: { required: true, content: { 'application/json': media } } }),
    security: SECURITY[access],
    responses: {
      [answer.status]: success(answer),
      ...(otherAnswer === undefined ? {} : { [otherAnswer.status]: success(otherAnswer) }),
      ...failures(doc),
    },
  }
}

const SECURITY: Readonly<Record<Access, Record<string, string[]>[]>> = {
  anybody: [],
  key: [{ apiKey: [] }],
  read: [{ managementKey: ['read'] }],
  write: [{ managementKey: ['write'] }],
  credits: [{ managementKey: ['credits'] }],
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }

const success = ({ description, content, timed }: AnswerDoc) => ({
  description,
  headers: { ...REQUEST_ID, ...(timed ? { 'Server-Timing': { $ref: '#/components/headers/ServerTiming' } } : {}) },
  content: { ...content },
})

/** Error answers by status, each with an example of every code. */
function failures(doc: OperationDoc): Record<string, ReturnType<typeof failure>> {
  const codes = new Set<ErrorCode>([...impliedErrors(doc), ...(doc.errors ?? [])])
  const byStatus = Map.groupBy(codes, (code) => errorRow(code).status)
  return Object.fromEntries(
    [...byStatus].sort(([one], [other]) => one - other).map(([status, of]) => [status, failure(of)]),
  )
}

function impliedErrors({ access, requests }: OperationDoc): ErrorCode[] {
  if (access === 'anybody') return []
  const ofBody: ErrorCode[] = requests === undefined ? [] : ['invalid_json', 'invalid_request', 'duplicate_field']
  return ['missing_api_key', 'invalid_api_key', 'storage_unavailable', 'internal_error', ...ofBody]
}

function failure(codes: readonly ErrorCode[]) {
  const example = (code: ErrorCode) => {
    const { meaning, type } = errorRow(code)
    return { summary: meaning, value: { error: { message: meaning, type, param: null, code } } }
  }
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: REQUEST_ID,
    content: {
      'application/json': {
        schema: ERROR_SCHEMA,
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}
