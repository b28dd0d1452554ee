import type { ProviderError } from '../../domain/index.ts'
import { JsonError, JsonReader, jsonSplice } from '../../lib/index.ts'
import { beginsAsStream } from '../begins-as-stream.ts'
import type { Reply, ReplyView } from '../dialect.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { readAnyError } from '../read-any-error.ts'
import { type ResponseRead, readResponseObject } from './read-response-object.ts'
import { responseOf } from './response-of.ts'
import { isWhole, responseSplices } from './response-splices.ts'

/**
 * Reads a plain answer to `/responses`: a response, whole or still to be made (`background`); one that failed is an error, whatever its HTTP
 * status was. A stream in its place is read as the response that it ends with.
 */
export function readResponse(body: Uint8Array, view: ReplyView): Reply {
  if (beginsAsStream(body)) {
    const sum = responseOf(body)
    if (sum.kind === 'error') return { kind: 'error', error: readAnyError(200, sum.body), usage: null }
    return sum.kind === 'not_an_answer' ? sum : readResponse(sum.body, view)
  }
  let read: ResponseRead | null
  try {
    read = readWhole(body)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
  if (read === null) return notAnAnswer('the answer is JSON, but no object')
  if (read.error !== null || read.status === 'failed')
    return { kind: 'error', error: failureOf(body, read), usage: read.usage }
  if (!read.hasOutput) return notAnAnswer('the answer has no output')
  const splices = responseSplices(body, read, view, read.textBytes)
  return {
    kind: 'answer',
    body: splices.length === 0 ? body : jsonSplice(body, splices),
    usage: isWhole(read) ? read.usage : null,
    textBytes: read.textBytes,
    finishReason: read.reason ?? read.status,
    ...(read.id !== null && read.isStored ? { stored: { id: read.id, items: read.items, usage: read.usage } } : {}),
  }
}

function readWhole(body: Uint8Array): ResponseRead | null {
  const reader = new JsonReader(body)
  const isObject = reader.peek() === 'object'
  const read = isObject ? readResponseObject(reader) : null
  if (!isObject) reader.skip()
  reader.finish()
  return read
}

/** Why a response failed. What its code says of the request itself is the caller's fault, as with an HTTP status of 400. */
export function failureOf(body: Uint8Array, { error }: Pick<ResponseRead, 'error'>): ProviderError {
  if (error === null) return NO_WORDS
  const said = readAnyError(200, body.subarray(error.start, error.end))
  if (said.status !== 200 || said.code === null) return said
  if (said.code === 'rate_limit_exceeded') return { ...said, status: 429 }
  return CALLERS_FAULT.test(said.code) ? { ...said, status: 400 } : said
}

/** `ResponseErrorCode` of OpenAI's specification: `invalid_prompt`, `invalid_base64_image`, `image_too_large`, … */
const CALLERS_FAULT = /^(invalid_|image_|unsupported_image|empty_image|failed_to_download_image)/
const NO_WORDS: ProviderError = {
  status: 200,
  message: 'the response failed, and the provider does not say why',
  type: null,
  code: null,
  param: null,
}
