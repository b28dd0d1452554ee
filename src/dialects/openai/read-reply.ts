import { JsonError, jsonSplice } from '../../lib/index.ts'
import type { Reply, ReplyView } from '../dialect.ts'
import { answerOf } from './answer-of.ts'
import { AnswerReader } from './answer-reader.ts'
import { readError } from './read-error.ts'
import { StampedAnswer } from './stamped-answer.ts'

/** Reads a plain answer that came with status 200: an object with choices, an error, a stream of these in pieces, or something else. */
export function readReply(body: Uint8Array, view: ReplyView): Reply {
  if (!beginsAsStream(body)) return readDocument(body, view)
  const sum = answerOf(body)
  return sum.kind === 'not_an_answer' ? sum : readDocument(sum.body, view)
}

function readDocument(body: Uint8Array, view: ReplyView): Reply {
  const stamped = view.stamp === undefined ? null : new StampedAnswer(view.stamp, 'message')
  const answer = new AnswerReader(() => {}, stamped)
  try {
    if (!answer.read(body, 0, body.length)) return notAnAnswer('the answer is JSON, but no object')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
  const { usage, textBytes, modelStart, modelEnd } = answer
  if (answer.error !== null) return { kind: 'error', error: readError(200, body), usage }
  if (answer.choices <= 0) return notAnAnswer('the answer has no choices')
  if (stamped !== null) return { kind: 'answer', body: stampedBody(stamped, body, answer), usage, textBytes }
  const model = { start: modelStart, end: modelEnd, bytes: Buffer.from(JSON.stringify(view.model)) }
  return { kind: 'answer', body: modelStart < 0 ? body : jsonSplice(body, [model]), usage, textBytes }
}

function stampedBody(stamped: StampedAnswer, body: Uint8Array, { usage, textBytes }: AnswerReader): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (usage !== null) stamped.noteUsage(bytes)
  return stamped.written(bytes, stamped.usage(usage, textBytes))
}

const notAnAnswer = (message: string): Reply => ({ kind: 'not_an_answer', message })

/** A line of an event or a comment: no document begins so. */
function beginsAsStream(body: Uint8Array): boolean {
  if (body[0] === OPEN_BRACE) return false
  const start = Buffer.from(body.subarray(0, START_BYTES)).toString('latin1')
  return /^(\xef\xbb\xbf)?\s*(data|event|id|retry)?:/.test(start)
}

const START_BYTES = 256
const OPEN_BRACE = 0x7b
const LESS_THAN = 0x3c
const SPACE = 0x20

function whatItIs(body: Uint8Array, error: JsonError): string {
  const first = body.find((byte) => byte > SPACE)
  if (first === undefined) return 'the answer is empty'
  return first === LESS_THAN ? 'the answer is HTML' : `the answer is not JSON: ${error.message}`
}
