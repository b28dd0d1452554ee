import { assert, isRecord } from '../../lib/index.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The stream that says the same as a whole plain answer, with its `[DONE]`: per choice the role, what it says in pieces, and its
 * finish_reason; then the usage. `answer` is one that `readReply` took for an answer. Null fields are left out: as parts of a chunk they
 * break several clients (WIRE.md, 3.2 and 3.3).
 */
export function streamOf(answer: Uint8Array): Uint8Array {
  const whole: unknown = JSON.parse(Buffer.from(answer).toString())
  assert(isRecord(whole) && Array.isArray(whole.choices), 'an answer without choices')
  const { choices, usage, object: _, ...rest } = whole
  const common: Record<string, unknown> = { object: 'chat.completion.chunk' }
  for (const name of ON_EVERY_CHUNK) if (given(rest[name])) common[name] = rest[name]
  const more = Object.entries(rest).filter(([name, value]) => !Object.hasOwn(common, name) && given(value))
  const events: string[] = []
  const add = (fields: Fields): number => events.push(`data: ${JSON.stringify({ ...common, ...fields })}\n\n`)
  for (const [place, choice] of choices.entries()) {
    if (!isRecord(choice)) continue
    const chunks = chunksOf(choice, place)
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
const PIECE_CHARS = 65_536

const given = (value: unknown): boolean => value !== null && value !== undefined
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function chunksOf(choice: Fields, place: number): Fields[] {
  const { index, message, finish_reason: reason, logprobs, ...rest } = choice
  const said = isRecord(message) ? message : {}
  const { role = 'assistant', content, tool_calls: calls, ...others } = said
  const chunk = (delta: Fields, finishReason: unknown = null): Fields => ({
    index: typeof index === 'number' ? index : place,
    delta,
    finish_reason: finishReason,
  })
  const chunks = [{ ...rest, ...chunk({ role, content: '' }) }]
  for (const [name, value] of Object.entries(others)) {
    if (given(value) && !isEmptyList(value))
      for (const piece of piecesOf(name, value)) chunks.push(chunk({ [name]: piece }))
  }
  for (const piece of given(content) ? piecesOf('content', content) : []) chunks.push(chunk({ content: piece }))
  if (given(logprobs)) chunks.push({ ...chunk({}), logprobs })
  const made = Array.isArray(calls) ? calls : []
  for (const [at, call] of made.entries())
    chunks.push(...callPieces(call, at).map((piece) => chunk({ tool_calls: [piece] })))
  chunks.push(chunk({}, given(reason) && reason !== '' ? reason : made.length > 0 ? 'tool_calls' : 'stop'))
  return chunks
}

/** The beginning of a tool call with its name, then its arguments. */
function callPieces(call: unknown, index: number): Fields[] {
  if (!isRecord(call)) return []
  const { function: called, ...rest } = call
  if (!isRecord(called)) return [{ ...rest, index }]
  const { arguments: given = '', ...named } = called
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return [
    { type: 'function', ...rest, index, function: { ...named, arguments: '' } },
    ...cut(text).map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

const piecesOf = (name: string, value: unknown): readonly unknown[] =>
  typeof value === 'string' && TEXTS.has(name) ? cut(value) : [value]

/** A text in pieces that are never cut within a character; none for an empty one. */
function cut(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + PIECE_CHARS)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
