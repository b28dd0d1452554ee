import { NO_USAGE } from '../../domain/index.ts'
import { JsonError, jsonBytes, jsonSplice } from '../../lib/index.ts'
import { beginsAsStream } from '../begins-as-stream.ts'
import type { Reply, ReplyView } from '../dialect.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { withoutMark } from '../without-mark.ts'
import { answerOf } from './answer-of.ts'
import { AnswerReader } from './answer-reader.ts'
import { readError } from './read-error.ts'
import { stampedMessage, stampedUsage } from './stamped-message.ts'

/** Reads a plain answer that came with status 200: a message, a count of tokens, an error, a stream of these in pieces, or something else. */
export function readReply(given: Uint8Array, view: ReplyView): Reply {
  const body = withoutMark(given)
  if (!beginsAsStream(body)) return readDocument(body, view)
  const sum = answerOf(body)
  return sum.kind === 'not_an_answer' ? sum : readDocument(sum.body, view)
}

function readDocument(body: Uint8Array, view: ReplyView): Reply {
  const answer = new AnswerReader()
  try {
    if (!answer.read(body, 0, body.length)) return notAnAnswer('the answer is JSON, but no object')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
  const usage = answer.usage.whole
  if (answer.type === 'error' || answer.hasError) return { kind: 'error', error: readError(200, body), usage }
  if (view.operation === 'messages.count_tokens') {
    if (!answer.hasInputTokens) return notAnAnswer('the answer has no count of tokens')
    return { kind: 'answer', body, usage: NO_USAGE, textBytes: 0 }
  }
  if (!answer.hasContentList) return notAnAnswer('the answer has no content')
  const { textBytes, finishReason } = answer
  return { kind: 'answer', body: written(body, answer, view), usage, textBytes, finishReason }
}

function written(body: Uint8Array, { spans, usage, textBytes }: AnswerReader, { model, stamp }: ReplyView): Uint8Array {
  if (stamp !== undefined)
    return stampedMessage(
      body,
      spans,
      stamp,
      stampedUsage(body, spans.usage, usage.whole ?? stamp.estimate(textBytes), stamp),
    )
  return spans.model === null ? body : jsonSplice(body, [{ ...spans.model, bytes: jsonBytes(model) }])
}
