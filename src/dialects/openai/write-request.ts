import { jsonBytes, jsonSplice, type Splice } from '../../lib/index.ts'
import type { RequestFacts, RequestPatch } from '../dialect.ts'
import { endsObject } from '../field-splice.ts'
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
  const fields: string[] = []
  const { insertAt, cuts } = layout
  if (layout.model === null) fields.push(`"model":${JSON.stringify(patch.model)}`)
  else splices.push({ start: layout.model.start, end: layout.model.end, bytes: jsonBytes(patch.model) })
  if (patch.askUsage && form.asksUsage) {
    if (layout.streamOptions === null) fields.push(`"stream_options":${ASK_USAGE}`)
    else splices.push(...usageAsked(facts))
  }
  if (patch.outputLimit !== null) {
    const limit = Buffer.from(String(patch.outputLimit))
    for (const span of layout.outputLimits) splices.push({ ...span, bytes: limit })
    if (layout.outputLimits.length === 0)
      fields.push(`"${form.limitField ?? limitFieldOf(patch.model)}":${patch.outputLimit}`)
  }
  if (fields.length > 0) {
    const text = fields.join(',') + (isEmptied(facts) ? '' : ',')
    splices.push({ start: insertAt, end: insertAt, bytes: Buffer.from(text) })
  }
  if (cuts !== undefined) splices.push(...cuts) // last: what is inserted at a cut comes before it
  return jsonSplice(facts.body, splices)
}

/** All that the body says is for the gateway alone (`{"models": […]}`). */
function isEmptied({ body, layout: { insertAt, cuts } }: RequestFacts): boolean {
  const first = cuts?.[0]
  if (first === undefined || !endsObject(body, first.end)) return false
  return body.subarray(insertAt, first.start).every((byte) => byte <= SPACE)
}

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
  const field = endsObject(body, start + 1) ? INCLUDE_USAGE : `${INCLUDE_USAGE},`
  return [{ start: start + 1, end: start + 1, bytes: Buffer.from(field) }]
}
