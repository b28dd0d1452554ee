import { isRecord } from '../../lib/index.ts'
import type { Content } from '../../records/index.ts'
import type { StoredRecord } from '../../store/index.ts'
import type { ReportDeps } from './deps.ts'
import { providerShown } from './provider-shown.ts'
import { saidText } from './said-text.ts'

/** What a request said and was answered: OpenRouter's names, and the answer itself. */
export function contentView(deps: ReportDeps, record: StoredRecord, { prompt, answer, isCut }: Content): object {
  const { generationId, stream } = record
  const delivered = answer === null || stream ? answer : jsonOr(answer)
  return {
    id: generationId,
    input: inputOf(prompt),
    output: saidText(delivered),
    error: errorOf(deps, record),
    answer: delivered,
    streamed: stream,
    is_cut: isCut,
  }
}

/** OpenRouter's clients take messages or a prompt: what has neither is told as the text that it was. */
function inputOf(text: string): object {
  const body = jsonOr(text)
  const isKnown = isRecord(body) && (Array.isArray(body.messages) || typeof body.prompt === 'string')
  return isKnown ? body : { prompt: text }
}

function errorOf(deps: ReportDeps, { status, errorCode, attempts, backend }: StoredRecord): object | null {
  if (errorCode === null) return null
  return {
    message: errorCode,
    status,
    provider_name: backend === null ? null : providerShown(deps, backend),
    raw: null,
    previous_errors: attempts.slice(0, -1).map((attempt) => ({
      code: attempt.status ?? UNANSWERED,
      message: attempt.reason ?? attempt.outcome,
      provider_name: providerShown(deps, attempt.backend),
      raw: null,
    })),
  }
}

const UNANSWERED = 502

/** What was cut is no JSON any more. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
