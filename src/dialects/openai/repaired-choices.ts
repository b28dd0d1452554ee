import { isFields, parseLossless } from '../parse-lossless.ts'

/** A plain chat answer has a `message` in each choice, an event of its stream a `delta`; those of completions have a `text`. */
export type AnswerForm = 'message' | 'delta' | 'text'

/**
 * The value of `choices` as strict readers take it: index, message or delta, and `finish_reason` in every choice, no null and no empty list that must
 * be left out, content that is a text; in a plain answer also the fields that must be there, in an event the role of choices that are `nameless`.
 * Numbers stay digit for digit.
 */
export function repairedChoices(json: string, form: AnswerForm, nameless: readonly number[] = []): string {
  const choices = parseLossless(json)
  return JSON.stringify(isList(choices) ? choices.map((choice, place) => repaired(choice, place, form, nameless)) : [])
}

function repaired(choice: unknown, place: number, form: AnswerForm, nameless: readonly number[]): unknown {
  const { index, finish_reason: reason, [form]: part, ...rest } = isFields(choice) ? choice : {}
  const at = typeof index === 'number' ? index : place
  const finished = { finish_reason: typeof reason === 'string' && reason !== '' ? reason : null }
  if (form === 'text')
    return { index: at, text: typeof part === 'string' ? part : '', logprobs: null, ...finished, ...rest }
  const words = Object.entries(isFields(part) ? part : {}).filter(
    ([name, value]) => !MUST_BE_ABSENT.has(name) || (value !== null && !(isList(value) && value.length === 0)),
  )
  const said = withTextContent(Object.fromEntries(words))
  const fields = form === 'message' ? { ...MESSAGE, ...said } : nameless.includes(at) ? { ...ROLE, ...said } : said
  return {
    index: at,
    [form]: fields,
    ...finished,
    ...(form === 'message' ? { logprobs: null } : {}),
    ...rest,
  }
}

/** Content that is parts of text and thinking, as Mistral's servers say it, as a text and its reasoning. With a part of another kind it stays as it is. */
function withTextContent(said: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { content, ...rest } = said
  if (!isList(content)) return said
  const texts = content.map((part) => textIn(part, 'text'))
  const thoughts = content.map((part) => textIn(part, 'thinking'))
  if (content.some((part, at) => texts[at] === null && thoughts[at] === null && !isReference(part))) return said
  const thought = thoughts.join('')
  return { ...rest, content: texts.join(''), ...(thought === '' ? {} : { reasoning: thought, ...rest }) }
}

/** What a part of this kind says; null: it is of another. */
function textIn(part: unknown, kind: 'text' | 'thinking'): string | null {
  if (typeof part === 'string') return kind === 'text' ? part : null
  if (!isFields(part) || part.type !== kind) return null
  const said = part[kind]
  return isList(said) ? said.map((one) => textIn(one, 'text') ?? '').join('') : typeof said === 'string' ? said : null
}

/** It names a source by a number, and says nothing itself. */
const isReference = (part: unknown): boolean => isFields(part) && part.type === 'reference'

/** Where null, or a list without anything, is no value but an error to strict readers: these are left out (WIRE.md, 3.1-3.3). */
export const ABSENT_NOT_NULL = ['role', 'tool_calls', 'function_call', 'audio', 'images', 'annotations'] as const
export const MUST_BE_ABSENT: ReadonlySet<string> = new Set(ABSENT_NOT_NULL)
const ROLE = { role: 'assistant' }
const MESSAGE = { ...ROLE, content: null, refusal: null }

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
