import { type AnswerMark, type ReplyView, surfaceOf } from '../dialects/index.ts'
import { chargeFor, withAsked } from '../domain/index.ts'
import type { Call } from './call.ts'
import { estimatedUsage } from './estimated-usage.ts'
import type { AffordableCandidate, PreparedRequest } from './handover.ts'
import type { House } from './house.ts'
import { GATEWAY, routingMetadata, wantsMetadata } from './routing-metadata.ts'

/** How the caller must see what this candidate answers: by the surface it came in at. `model` is the id that it sees. */
export function replyView(
  house: House,
  call: Call,
  candidate: AffordableCandidate,
  { facts }: PreparedRequest,
  model: string,
): ReplyView {
  const { operation, usageWanted, vectors, isBinary, textual, asked } = facts
  const view = {
    operation,
    model,
    showUsage: usageWanted,
    ...(vectors === undefined ? {} : { vectors }),
    ...(isBinary === undefined ? {} : { isBinary }),
    ...(textual === undefined ? {} : { textual }),
    ...(asked?.images === undefined ? {} : { ends: asked.images }),
  }
  if (!surfaceOf(call.arrival.surface).isStamped) return view
  const { covered } = candidate
  return {
    ...view,
    stamp: {
      ...answerMark(call, candidate, model),
      isByok: candidate.own !== undefined,
      cost: (usage) => chargeFor(withAsked(covered, usage), covered),
      estimate: (textBytes, prompt) => estimatedUsage(house, covered, textBytes, prompt),
      ...(wantsMetadata(call) ? { routing: () => JSON.stringify(routingMetadata(call, candidate)) } : {}),
    },
  }
}

/** What a stream is called by that nobody answered. */
export const unansweredMark = (call: Call): AnswerMark => ({
  operation: call.operation,
  id: call.generationId,
  createdS: Math.floor(call.startedAtMs / 1000),
  model: call.model ?? '',
  provider: GATEWAY,
})

/** What this candidate's answer is called by. */
export const answerMark = (call: Call, { offer }: AffordableCandidate, model: string): AnswerMark => ({
  operation: call.operation,
  id: call.generationId,
  createdS: Math.floor(call.startedAtMs / 1000),
  model,
  provider: call.settings.replies.hideBackends ? GATEWAY : offer.backend.provider.id,
})
