import type { ReplyHead } from '../../agents/index.ts'
import type { Dialect, Reply, ReplyView } from '../../dialects/index.ts'
import type { Outcome, ProviderError, Usage } from '../../domain/index.ts'
import { isSuccess } from './body-kind.ts'
import { classify, classifyWithin } from './classify.ts'

export type Answer = Extract<Reply, { kind: 'answer' }>

/** How a body must be read. */
export interface Reading {
  readonly dialect: Dialect
  readonly view: ReplyView
  /** Wall time. */
  readonly nowMs: number
}

/** What a whole body says, or as much of an error as is read: an answer, or how the attempt ended. */
export function judgeWhole(head: ReplyHead, body: Uint8Array, { dialect, view, nowMs }: Reading): Answer | Outcome {
  if (!isSuccess(head)) {
    const outcome = classify(head, dialect.readError(head.status, body), nowMs)
    return outcome.kind === 'refused' ? { ...outcome, usage: reportedWith(dialect.readReply(body, view)) } : outcome
  }
  const reply = dialect.readReply(body, view)
  if (reply.kind === 'answer') return reply
  if (reply.kind === 'not_an_answer')
    return { kind: 'failed', reason: 'not_an_answer', status: null, message: reply.message }
  return within(reply.error, reply.usage)
}

/** How an attempt ended whose 200 tells of an error, with what was used. */
export function within(error: ProviderError, usage: Usage | null): Outcome {
  const outcome = classifyWithin(error)
  return outcome.kind === 'refused' ? { ...outcome, usage } : outcome
}

/** A provider that refuses what it has worked on already (a policy on content) may bill it. */
const reportedWith = (reply: Reply) => (reply.kind === 'error' ? reply.usage : null)
