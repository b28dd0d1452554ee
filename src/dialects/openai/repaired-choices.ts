import { isRecord, JsonKeys, JsonReader } from '../../lib/index.ts'

/** A plain chat answer has a `message` in each choice, an event of its stream a `delta`; those of completions have a `text`. */
export type AnswerForm = 'message' | 'delta' | 'text'

/**
 * The value of `choices` as strict readers take it: index, message or delta, and `finish_reason` in every choice, no null and no empty list that must
 * be left out, content that is a text, reasoning under the name by which OpenRouter's readers know it; in a plain answer also the fields that must be
 * there, in an event the role of choices that are `nameless`.
 * All else stays byte for byte, and is not even parsed: it may be large.
 */
export function repairedChoices(json: Uint8Array, form: AnswerForm, nameless: readonly number[] = []): string {
  const reader = new JsonReader(json)
  const choices: string[] = []
  reader.peek()
  reader.enter()
  while (reader.nextItem()) choices.push(repaired(reader, choices.length, form, nameless))
  return `[${choices.join(',')}]`
}

/** Fields of a message or delta, each with its name, and which there are of those that may have to be there. */
interface Part {
  readonly fields: readonly string[]
  readonly has: ReadonlySet<string>
}

const NO_PART: Part = { fields: [], has: new Set() }

/** The choice that comes next. */
function repaired(reader: JsonReader, place: number, form: AnswerForm, nameless: readonly number[]): string {
  let index = place
  let reason = 'null'
  let part = NO_PART
  let text = '""'
  let hasLogprobs = form === 'delta' // none is needed there
  const rest: string[] = []
  const isObject = reader.peek() === 'object'
  if (isObject) reader.enter()
  else reader.skip()
  while (isObject && reader.nextKey()) {
    const field = reader.key(CHOICE_FIELDS)
    const start = reader.keyStart
    const kind = reader.peek()
    if (field === form && kind === 'object') {
      part = repairedPart(reader)
      continue
    }
    reader.skip()
    if (field === 'index') index = kind === 'number' ? placeIn(reader, place) : place
    else if (field === 'finish_reason') reason = kind === 'string' && reader.stringBytes > 0 ? valueIn(reader) : 'null'
    else if (field === form) {
      part = NO_PART
      text = kind === 'string' ? valueIn(reader) : '""'
    } else {
      rest.push(textAt(reader, start))
      if (field === 'logprobs') hasLogprobs = true
    }
  }
  const isNameless = form === 'message' || nameless.includes(index)
  return objectOf([
    `"index":${index}`,
    form === 'text' ? `"text":${text}` : `"${form}":${objectOf([...missing(part, form, isNameless), ...part.fields])}`,
    `"finish_reason":${reason}`,
    ...(hasLogprobs ? [] : ['"logprobs":null']),
    ...rest,
  ])
}

function missing({ has }: Part, form: AnswerForm, isNameless: boolean): string[] {
  const role = isNameless && !has.has('role') ? ['"role":"assistant"'] : []
  if (form !== 'message') return role
  return [...role, ...['content', 'refusal'].flatMap((name) => (has.has(name) ? [] : [`"${name}":null`]))]
}

/** The message or delta that comes next. */
function repairedPart(reader: JsonReader): Part {
  const fields: string[] = []
  const has = new Set<string>()
  let reasoning: string | null = null // JSON of it, where it is not said as such
  reader.enter()
  while (reader.nextKey()) {
    const name = reader.key(PART_FIELDS)
    const start = reader.keyStart
    const kind = reader.peek()
    const isNothing = kind === 'null' || (kind === 'array' && isEmptyList(reader))
    reader.skip()
    if (isNothing && name !== undefined && MUST_BE_ABSENT.has(name)) continue
    if (name === 'reasoning' && (kind === 'null' || (kind === 'string' && reader.stringBytes === 0))) {
      reasoning ??= valueIn(reader)
      continue
    }
    if (name === 'reasoning_content' && kind === 'string') reasoning = valueIn(reader)
    const said = kind === 'array' && name === 'content' ? textContent(reader.value()) : null
    if (said === null) fields.push(textAt(reader, start))
    else {
      fields.push(`"content":${JSON.stringify(said.content)}`)
      if (said.reasoning !== '') reasoning = JSON.stringify(said.reasoning)
    }
    if (name !== undefined) has.add(name)
  }
  if (reasoning !== null && !has.has('reasoning')) fields.push(`"reasoning":${reasoning}`)
  return { fields, has }
}

/** Content that is parts of text and thinking, as Mistral's servers say it, as a text and its reasoning. Null where a part is of another kind: it stays as it is. */
function textContent(parts: unknown): { readonly content: string; readonly reasoning: string } | null {
  if (!Array.isArray(parts)) return null
  const texts = parts.map((part) => saidIn(part, 'text'))
  const thoughts = parts.map((part) => saidIn(part, 'thinking'))
  if (parts.some((part, at) => texts[at] === null && thoughts[at] === null && !isReference(part))) return null
  return { content: texts.join(''), reasoning: thoughts.join('') }
}

/** What a part of this kind says; null: it is of another. */
function saidIn(part: unknown, kind: 'text' | 'thinking'): string | null {
  if (typeof part === 'string') return kind === 'text' ? part : null
  if (!isRecord(part) || part.type !== kind) return null
  const said = part[kind]
  if (Array.isArray(said)) return said.map((one: unknown) => saidIn(one, 'text') ?? '').join('')
  return typeof said === 'string' ? said : null
}

/** It names a source by a number, and says nothing itself. */
const isReference = (part: unknown): boolean => isRecord(part) && part.type === 'reference'

/** Whether the list that comes next has nothing in it. */
export function isEmptyList({ bytes, position }: JsonReader): boolean {
  let at = position + 1
  while ((bytes[at] ?? CLOSE_BRACKET) <= SPACE) at++
  return bytes[at] === CLOSE_BRACKET
}

const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Where null, or a list without anything, is no value but an error to strict readers: these are left out (WIRE.md, 3.1-3.3). */
export const ABSENT_NOT_NULL = [
  'role',
  'tool_calls',
  'function_call',
  'audio',
  'images',
  'annotations',
  'reasoning_details',
] as const
export const MUST_BE_ABSENT: ReadonlySet<string> = new Set(ABSENT_NOT_NULL)
const CHOICE_FIELDS = new JsonKeys(['index', 'finish_reason', 'logprobs', 'message', 'delta', 'text'])
const PART_FIELDS = new JsonKeys(['content', 'refusal', 'reasoning', 'reasoning_content', ...ABSENT_NOT_NULL])

const objectOf = (fields: readonly string[]): string => `{${fields.join(',')}}`

/** The index that was read last; `place` for one that JSON has no number for. */
function placeIn(reader: JsonReader, place: number): number {
  const index = reader.number()
  return Number.isFinite(index) ? index : place
}

const valueIn = (reader: JsonReader): string => textAt(reader, reader.valueStart)

/** From there to the end of the value that was read last. */
function textAt({ bytes, valueEnd }: JsonReader, start: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, valueEnd - start).toString()
}
