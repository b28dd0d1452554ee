import { eventText, isRecord } from '../../lib/index.ts'
import type { AnswerMark, PublicError } from '../surface.ts'
import { responseDefaults } from './response-splices.ts'

/**
 * The end of a stream of `/responses` that is not whole: an `error` event in which each client finds what it looks for (WIRE.md, 7), then
 * `response.failed`, without which some go on waiting or connect again. Their numbers go on from what was sent.
 */
export function writeResponseError(
  error: PublicError,
  mark: AnswerMark,
  extra: Readonly<Record<string, unknown>> = {},
): Uint8Array {
  const { message, type, param } = error
  const code = error.code ?? type
  const sequence = mark.begun?.sequence ?? 0
  const said = { message, type, param, code, ...error.extra }
  const events = [
    { type: 'error', sequence_number: sequence, code, message, param, ...extra, error: said },
    {
      type: 'response.failed',
      sequence_number: sequence + 1,
      ...extra,
      response: failedResponse({ code, message }, mark),
    },
  ]
  return Buffer.from(events.map(eventText).join(''))
}

/** As it was shown when it began, else with all that readers look for. */
function failedResponse(
  error: { readonly code: string; readonly message: string },
  { begun, id, createdS, model }: AnswerMark,
): object {
  const shown: unknown =
    begun === undefined || begun.answer === null ? null : JSON.parse(Buffer.from(begun.answer).toString())
  const common = isRecord(shown) ? shown : { id, object: 'response', created_at: createdS, model, ...UNKNOWN }
  return { ...common, status: 'failed', error }
}

const UNKNOWN = { ...responseDefaults, output: [], usage: null }
