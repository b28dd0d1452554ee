import { formatUsd, type Usage } from '../../domain/index.ts'
import { isRecord, jsonSplice, type Splice } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import type { FieldSpans } from './answer-reader.ts'

/** The message in `bytes` with the marks of the gateway in place of the provider's own, and its usage (null: left as it is). */
export function stampedMessage(
  bytes: Uint8Array,
  spans: FieldSpans,
  { id, model, provider }: ReplyStamp,
  usage: string | null,
): Uint8Array {
  const splices = [
    fieldSplice('id', spans.id, JSON.stringify(id), spans.insertAt),
    fieldSplice('provider', spans.provider, JSON.stringify(provider), spans.insertAt),
    fieldSplice('model', spans.model, JSON.stringify(model), spans.insertAt),
  ]
  if (usage !== null) splices.push(fieldSplice('usage', spans.usage, usage, spans.insertAt))
  return jsonSplice(bytes, splices)
}

/** A field's new value where the old one stands; with its name at the start of its object where there is none. */
export function fieldSplice(name: string, span: Span | null, json: string, insertAt: number): Splice {
  if (span !== null) return { ...span, bytes: Buffer.from(json) }
  return { start: insertAt, end: insertAt, bytes: Buffer.from(`"${name}":${json},`) }
}

/**
 * The value of `usage` on a stamped surface, as JSON: the figures that are billed, `cost` in dollars, and of what the provider reported beside them
 * whatever else there is. Behind it stands the field of how the request was routed, where that is told.
 */
export function stampedUsage(bytes: Uint8Array, span: Span | null, usage: Usage, stamp: ReplyStamp): string {
  const rest: Record<string, unknown> = span === null ? {} : { ...known(bytes, span) }
  for (const name of OURS) delete rest[name]
  const figures = {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite + (usage.cacheWriteLong ?? 0),
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output + usage.reasoning,
  }
  // Not through a number: its digits are exact as they stand.
  return `${JSON.stringify({ ...rest, ...figures, is_byok: stamp.isByok }).slice(0, -1)},"cost":${formatUsd(stamp.cost(usage))}}${routingField(stamp)}`
}

/** What a provider says of money, perhaps because it is a gateway itself: its prices are none of the caller's. */
const OURS = ['cost', 'cost_details', 'is_byok']

function known(bytes: Uint8Array, { start, end }: Span): object {
  const value: unknown = JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
  return isRecord(value) ? value : {}
}
