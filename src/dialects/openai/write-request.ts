import { jsonBytes, jsonSplice, type Splice } from '../../lib/index.ts'
import type { RequestFacts, RequestPatch } from '../dialect.ts'
import { formOf } from './form-of.ts'

/**
 * The caller's bytes with the patch spliced in. Of a `stream_options` that is an object only `include_usage` changes; one that
 * is null gives way to an object; one of another kind stays, for the provider to refuse.
 */
export function writeRequest(facts: RequestFacts, patch: RequestPatch): Uint8Array {
  const { layout } = facts
  if (layout.boundary !== undefined) return writeForm(facts, patch.model, layout.boundary)
  const form = formOf(facts.operation).request
  const splices: Splice[] = []
  const { insertAt } = layout
  if (layout.model === null) splices.push(insertion(insertAt, `"model":${JSON.stringify(patch.model)}`))
  else splices.push({ start: layout.model.start, end: layout.model.end, bytes: jsonBytes(patch.model) })
  if (patch.askUsage && form.asksUsage) {
    if (layout.streamOptions === null) splices.push(insertion(insertAt, `"stream_options":${ASK_USAGE}`))
    else splices.push(...usageAsked(facts))
  }
  if (patch.outputLimit !== null) {
    const limit = Buffer.from(String(patch.outputLimit))
    for (const span of layout.outputLimits) splices.push({ ...span, bytes: limit })
    if (layout.outputLimits.length === 0)
      splices.push(insertion(insertAt, `"${form.limitField ?? limitFieldOf(patch.model)}":${patch.outputLimit}`))
  }
  if (layout.cuts !== undefined) splices.push(...layout.cuts) // last: what is inserted at a cut comes before it
  return jsonSplice(facts.body, splices)
}

const insertion = (at: number, field: string): Splice => ({ start: at, end: at, bytes: Buffer.from(`${field},`) })

/** The caller's form with the model's name in its part; a form without one gets a part of its own. */
function writeForm({ body, layout }: RequestFacts, model: string, boundary: string): Uint8Array {
  const { model: span, insertAt } = layout
  if (span !== null) return jsonSplice(body, [{ ...span, bytes: Buffer.from(model) }])
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n`
  return jsonSplice(body, [{ start: insertAt, end: insertAt, bytes: Buffer.from(part) }])
}

const INCLUDE_USAGE = '"include_usage":true'
const ASK_USAGE = `{${INCLUDE_USAGE}}`
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const LETTER_N = 0x6e
const SPACE = 0x20
const REASONING_MODEL = /^(openai\/)?(o\d|gpt-[5-9])/

/**
 * The field for a limit that the caller did not name. `max_tokens` is what nearly every OpenAI-compatible server obeys, while
 * several ignore or refuse `max_completion_tokens` (Ollama, DeepSeek, Mistral): an ignored limit would cost money unseen.
 * OpenAI's reasoning models are the other way round: they refuse `max_tokens`.
 */
const limitFieldOf = (model: string): string => (REASONING_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens')

/** The splice that makes the caller's own `stream_options` ask for usage. */
function usageAsked({ body, layout }: RequestFacts): readonly Splice[] {
  if (layout.includeUsage !== null) return [{ ...layout.includeUsage, bytes: Buffer.from('true') }]
  if (layout.streamOptions === null) return []
  const { start, end } = layout.streamOptions
  if (body[start] === LETTER_N) return [{ start, end, bytes: Buffer.from(ASK_USAGE) }]
  if (body[start] !== OPEN_BRACE) return []
  let next = start + 1
  while ((body[next] ?? 0) <= SPACE) next++
  const isEmpty = body[next] === CLOSE_BRACE
  return [{ start: start + 1, end: start + 1, bytes: Buffer.from(isEmpty ? INCLUDE_USAGE : `${INCLUDE_USAGE},`) }]
}
