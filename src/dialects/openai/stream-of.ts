import type { OperationName } from '../../domain/index.ts'
import { assert, eventText } from '../../lib/index.ts'
import { cutText } from '../cut-text.ts'
import { given, givenFields } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'
import { formOf } from './form-of.ts'
import { responseEvents } from './response-events.ts'
import { transcriptEvents } from './transcript-events.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The stream that says the same as a whole plain answer, with its `[DONE]`: per choice the role, what it says in pieces, and its
 * finish_reason; then the usage. `answer` is one that `readReply` took for an answer. Null fields are left out: as parts of a chunk they
 * break several clients (WIRE.md, 3.2 and 3.3). Pictures have an event each, and no `[DONE]`.
 */
export function streamOf(answer: Uint8Array, operation: OperationName): Uint8Array {
  const { answer: form } = formOf(operation)
  if (form === 'transcript') return transcriptEvents(answer)
  const whole = parseLossless(Buffer.from(answer).toString())
  if (form === 'response') return responseEvents(whole)
  if (form !== 'messages' && form !== 'texts') return pictureEvents(whole, operation)
  assert(isFields(whole) && Array.isArray(whole.choices), 'an answer without choices')
  const { choices, usage, object: _, ...rest } = whole
  const isChat = form === 'messages'
  const common: Record<string, unknown> = { object: isChat ? 'chat.completion.chunk' : 'text_completion' }
  for (const name of ON_EVERY_CHUNK) if (given(rest[name])) common[name] = rest[name]
  const more = Object.entries(rest).filter(([name, value]) => !Object.hasOwn(common, name) && given(value))
  const events: string[] = []
  const add = (fields: Fields): number => events.push(`data: ${JSON.stringify({ ...common, ...fields })}\n\n`)
  for (const [place, choice] of choices.entries()) {
    if (!isFields(choice)) continue
    const chunks = isChat ? chunksOf(choice, place) : textChunks(choice, place)
    const first = events.length === 0 ? Object.fromEntries(more) : {}
    for (const [at, chunk] of chunks.entries()) add({ ...(at === 0 ? first : {}), choices: [chunk] })
  }
  if (given(usage)) add({ choices: [], usage })
  return Buffer.from(`${events.join('')}data: [DONE]\n\n`)
}

/** What identifies the answer; all else of it is said once. */
const ON_EVERY_CHUNK = ['id', 'created', 'model', 'system_fingerprint', 'service_tier']
/** Strings that may be long: said in pieces, which their reader puts together. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'refusal', 'reasoning', 'reasoning_content'])

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function chunksOf(choice: Fields, place: number): Fields[] {
  const { index, message, finish_reason: reason, logprobs, ...rest } = choice
  const said = isFields(message) ? message : {}
  const { role, content, tool_calls: calls, ...others } = said
  const chunk = (delta: Fields, finishReason: unknown = null): Fields => ({
    index: typeof index === 'number' ? index : place,
    delta,
    finish_reason: finishReason,
  })
  const chunks = [{ ...rest, ...chunk({ role: given(role) ? role : 'assistant', content: '' }) }]
  for (const [name, value] of Object.entries(others)) {
    if (given(value) && !isEmptyList(value))
      for (const piece of piecesOf(name, value)) chunks.push(chunk({ [name]: piece }))
  }
  for (const piece of given(content) ? piecesOf('content', content) : []) chunks.push(chunk({ content: piece }))
  if (given(logprobs)) chunks.push({ ...chunk({}), logprobs })
  const made = Array.isArray(calls) ? calls : []
  for (const [at, call] of made.entries())
    chunks.push(...callPieces(call, at).map((piece) => chunk({ tool_calls: [piece] })))
  chunks.push(chunk({}, typeof reason === 'string' && reason !== '' ? reason : made.length > 0 ? 'tool_calls' : 'stop'))
  return chunks
}

function textChunks(choice: Fields, place: number): Fields[] {
  const { index, text, finish_reason: reason, ...rest } = choice
  const at = typeof index === 'number' ? index : place
  const chunk = (piece: string, finishReason: unknown = null): Fields => ({
    index: at,
    text: piece,
    finish_reason: finishReason,
  })
  const pieces = typeof text === 'string' ? cutText(text) : []
  return [
    ...pieces.map((piece) => chunk(piece)),
    { ...givenFields(rest), ...chunk('', typeof reason === 'string' && reason !== '' ? reason : 'stop') },
  ]
}

/** What was used stands in the last. */
function pictureEvents(whole: unknown, operation: OperationName): Uint8Array {
  assert(isFields(whole), 'an answer that is no object')
  const { data, usage, created, type: _, ...rest } = whole
  const type = operation === 'images.edits' ? 'image_edit.completed' : 'image_generation.completed'
  const pictures = Array.isArray(data) ? data.filter(isFields) : []
  const events = pictures.map(({ type: __, ...picture }, at) => {
    const isLast = at === pictures.length - 1
    return eventText({ type, ...rest, created_at: created, ...picture, ...(isLast && given(usage) ? { usage } : {}) })
  })
  return Buffer.from(events.join(''))
}

/** The beginning of a tool call with its name, then its arguments. */
function callPieces(call: unknown, index: number): Fields[] {
  if (!isFields(call)) return []
  const { function: called, ...rest } = call
  if (!isFields(called)) return [{ ...rest, index }]
  const { arguments: given = '', ...named } = called
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return [
    { type: 'function', ...rest, index, function: { ...named, arguments: '' } },
    ...cutText(text).map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

const piecesOf = (name: string, value: unknown): readonly unknown[] =>
  typeof value === 'string' && TEXTS.has(name) ? cutText(value) : [value]
