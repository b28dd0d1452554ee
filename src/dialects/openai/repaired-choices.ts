import { isFields, parseLossless } from '../parse-lossless.ts'

/** A plain chat answer has a `message` in each choice, an event of its stream a `delta`; those of completions have a `text`. */
export type AnswerForm = 'message' | 'delta' | 'text'

/**
 * The value of `choices` as strict readers take it: index, message or delta, and `finish_reason` in every choice, no null that must be
 * left out; in a plain answer also the fields that must be there. Numbers stay digit for digit.
 */
export function repairedChoices(json: string, form: AnswerForm): string {
  const choices = parseLossless(json)
  return JSON.stringify(isList(choices) ? choices.map((choice, place) => repaired(choice, place, form)) : [])
}

function repaired(choice: unknown, place: number, form: AnswerForm): unknown {
  const { index, finish_reason: reason, [form]: part, ...rest } = isFields(choice) ? choice : {}
  const at = typeof index === 'number' ? index : place
  const finished = { finish_reason: reason === undefined || reason === '' ? null : reason }
  if (form === 'text')
    return { index: at, text: typeof part === 'string' ? part : '', logprobs: null, ...finished, ...rest }
  const words = Object.entries(isFields(part) ? part : {}).filter(
    ([name, value]) => value !== null || !MUST_BE_ABSENT.has(name),
  )
  const fields = form === 'message' ? { ...MESSAGE, ...Object.fromEntries(words) } : Object.fromEntries(words)
  return {
    index: at,
    [form]: fields,
    ...finished,
    ...(form === 'message' ? { logprobs: null } : {}),
    ...rest,
  }
}

/** Where null is no value but an error to strict readers: these are left out (WIRE.md, 3.1-3.3). */
export const ABSENT_NOT_NULL = ['role', 'tool_calls', 'function_call', 'audio', 'images', 'annotations'] as const
const MUST_BE_ABSENT: ReadonlySet<string> = new Set(ABSENT_NOT_NULL)
const MESSAGE = { role: 'assistant', content: null, refusal: null }

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
