import { JsonError, jsonBytes, jsonSplice } from '../../lib/index.ts'
import { beginsAsStream } from '../begins-as-stream.ts'
import type { Reply, ReplyView } from '../dialect.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { readAnyError } from '../read-any-error.ts'
import { withoutMark } from '../without-mark.ts'
import { answerOf } from './answer-of.ts'
import { AnswerReader } from './answer-reader.ts'
import { formOf } from './form-of.ts'
import { readDocument } from './read-document.ts'
import { readResponse } from './read-response.ts'
import { readTokenCount } from './read-token-count.ts'
import { readTranscript } from './read-transcript.ts'
import { RepairedCalls } from './repaired-calls.ts'
import { StampedAnswer } from './stamped-answer.ts'

/**
 * Reads a plain answer that came with status 200: an object with choices, or with the list of its operation, an error, a stream of choices in
 * pieces, or something else.
 */
export function readReply(given: Uint8Array, view: ReplyView): Reply {
  const { answer } = formOf(view.operation)
  if (answer === 'bytes') return readInPlaceOfBytes(given)
  if (answer === 'transcript') return readTranscript(given, view)
  const body = withoutMark(given)
  if (answer === 'token_count') return readTokenCount(body)
  if (answer === 'response') return readResponse(body, view)
  if (typeof answer === 'object') return readDocument(answer, body, view)
  if (!beginsAsStream(body)) return readChoices(answer, body, view)
  const sum = answerOf(body, answer)
  return sum.kind === 'not_an_answer' ? sum : readChoices(answer, sum.body, view)
}

/** Where bytes of a medium are asked for a document is no answer. */
function readInPlaceOfBytes(body: Uint8Array): Reply {
  const error = readAnyError(200, body)
  const isError = Buffer.from(body.subarray(0, START_BYTES)).includes('"error"')
  return isError ? { kind: 'error', error, usage: null } : notAnAnswer('the answer is a document, not a medium')
}

function readChoices(form: 'messages' | 'texts', body: Uint8Array, view: ReplyView): Reply {
  const part = form === 'messages' ? 'message' : 'text'
  const stamped = view.stamp === undefined ? null : new StampedAnswer(view.stamp, part, false)
  const answer = new AnswerReader(ignore, stamped)
  try {
    if (!answer.read(body, 0, body.length)) return notAnAnswer('the answer is JSON, but no object')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
  const { usage, textBytes, finishReason, modelStart, modelEnd } = answer
  if (answer.error !== null) return { kind: 'error', error: readAnyError(200, body), usage }
  if (answer.choices <= 0) return notAnAnswer('the answer has no choices')
  const isStrict = stamped !== null
  const repairs =
    answer.calls.length === 0
      ? null
      : new RepairedCalls({ isStream: false, isStrict }).splices(asBuffer(body), 0, body.length, answer.calls)
  if (repairs !== null) return readChoices(form, jsonSplice(body, repairs), view)
  const told = { kind: 'answer', usage, textBytes, finishReason } as const
  if (stamped !== null) return { ...told, body: stampedBody(stamped, body, answer) }
  const model = { start: modelStart, end: modelEnd, bytes: jsonBytes(view.model) }
  return { ...told, body: modelStart < 0 ? body : jsonSplice(body, [model]) }
}

function stampedBody(stamped: StampedAnswer, body: Uint8Array, { usage, textBytes }: AnswerReader): Uint8Array {
  const bytes = asBuffer(body)
  if (usage !== null) stamped.noteUsage(bytes)
  return stamped.written(bytes, stamped.usage(usage, textBytes))
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const ignore = (): void => {}
const START_BYTES = 256
