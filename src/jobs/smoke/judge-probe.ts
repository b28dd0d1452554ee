import type { AttemptRecord } from '../../domain/index.ts'
import type { ProbeAnswer } from './probe-request.ts'
import type { ProbeKind, SmokeProbe } from './smoke-report.ts'

/** Whether a request ended as it should, in words, and what to do when not. */
export function judgeProbe(kind: ProbeKind, answer: ProbeAnswer): SmokeProbe {
  const { status, record, settlement } = answer
  const attempt = record?.attempts.at(-1) ?? null
  const verdict = verdictOf(kind, answer, attempt)
  return {
    kind,
    isOk: verdict.advice === null,
    requestId: record?.requestId ?? null,
    status,
    outcome: attempt?.outcome ?? null,
    connection: attempt?.timing.connection ?? null,
    timing: record?.timing ?? null,
    usage: settlement?.usage ?? null,
    cost: settlement?.cost ?? null,
    ...verdict,
  }
}

interface Verdict {
  readonly message: string
  readonly advice: string | null
}

const good = (message: string): Verdict => ({ message, advice: null })

function verdictOf(kind: ProbeKind, answer: ProbeAnswer, attempt: AttemptRecord | null): Verdict {
  const { record, settlement, isLate } = answer
  if (record === null) return { message: 'no record of it was written', advice: 'Look at the log: this is a bug.' }
  if (isLate) return { message: 'no end within 45 s', advice: SLOW }
  if (attempt?.outcome === 'succeeded' && record.errorCode === null) {
    if (settlement === null) return { message: 'answered, but not settled within 5 s', advice: DISK }
    return kind === 'hang_up' ? good('it had answered before anybody could hang up') : good('answered')
  }
  const isLeft = kind === 'hang_up' && attempt?.outcome === 'cancelled' && attempt.reason === 'client'
  if (isLeft) {
    if (settlement === null) return { message: 'left, but not settled within 5 s', advice: DISK }
    return good(
      settlement.reason === 'client_gone' ? 'left in mid-stream, and it was paid to there' : 'left at its end',
    )
  }
  return { message: failureOf(answer), advice: adviceOf(kind, record.errorCode, attempt) }
}

const SLOW = "It takes the request and does not come to an end: try another --model, then see 'anyrouter doctor'."
const DISK = "The ledger is slow or cannot be written: see 'anyrouter doctor'."
const WORDS_MAX = 300

/** The error's own words, of a stream's error event too; else how the attempt ended. */
function failureOf({ text, record }: ProbeAnswer): string {
  const attempt = record?.attempts.at(-1)
  const how =
    attempt === undefined ? '' : ` (${[attempt.outcome, attempt.reason, attempt.status].filter(Boolean).join(' ')})`
  return `${(wordsOf(text) ?? record?.errorCode ?? 'failed').slice(0, WORDS_MAX)}${how}`
}

function wordsOf(text: string): string | null {
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  try {
    return message === undefined ? null : String(JSON.parse(message))
  } catch {
    return null // what a provider sent need not be JSON
  }
}

function adviceOf(kind: ProbeKind, code: string | null, attempt: AttemptRecord | null): string {
  switch (attempt?.outcome) {
    case 'denied':
      return "Its credential, or what is paid there, is not good: see 'anyrouter doctor'."
    case 'refused':
    case 'too_long':
      return 'The provider does not take the request: name another model with --model, and see its name at the provider (as).'
    case 'throttled':
      return kind === 'several'
        ? 'It takes fewer at once than are sent: give the backend fewer slots in the configuration, or ask the provider for more.'
        : "The provider's own limit: wait, or ask the provider for more."
    case 'unsent':
      return "It cannot be reached: see 'anyrouter doctor'."
    case 'failed':
    case 'broken':
      return 'The provider failed: try again, then see whether its url is that of an API of its dialect, and its status page.'
    case undefined:
      return ADVICE_BY_CODE[code ?? ''] ?? 'See the record of the request and the log.'
    case 'cancelled':
    case 'succeeded':
      return 'See the record of the request and the log.'
  }
}

const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  no_backend: "Nothing was sent: see 'anyrouter route --model' and 'anyrouter quarantine list'.",
  no_capacity: 'Nothing was sent, all its slots are taken: try again when less is going on.',
  model_not_found: 'This backend offers no such model: see anyrouter models.',
  insufficient_credits: "Nothing was sent, the account smoke has too little: 'anyrouter credits add --account smoke'.",
  account_disabled: "Nothing was sent: 'anyrouter accounts enable smoke'.",
  storage_unavailable: DISK,
  shutting_down: 'The server stops: try again when it is back.',
}
