import type { Usage } from '../../domain/index.ts'
import { isRecord, jsonSplice } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { endsObject, fieldSplice, jsonAt } from '../field-splice.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import { withCost } from '../with-cost.ts'
import type { FieldSpans } from './answer-reader.ts'

/** The message in `bytes` with the marks of the gateway in place of the provider's own, and its usage (null: left as it is). One that says nothing stays so. */
export function stampedMessage(
  bytes: Uint8Array,
  spans: FieldSpans,
  { id, model, provider }: ReplyStamp,
  usage: string | null,
): Uint8Array {
  if (endsObject(bytes, spans.insertAt)) return bytes
  const splices = [
    fieldSplice('id', spans.id, JSON.stringify(id), spans.insertAt),
    fieldSplice('provider', spans.provider, JSON.stringify(provider), spans.insertAt),
    fieldSplice('model', spans.model, JSON.stringify(model), spans.insertAt),
  ]
  if (usage !== null) splices.push(fieldSplice('usage', spans.usage, usage, spans.insertAt))
  return jsonSplice(bytes, splices)
}

/**
 * The value of `usage` on a stamped surface, as JSON: the figures that are billed, `cost` in dollars, and of what the provider reported beside them
 * whatever else there is. Behind it stands the field of how the request was routed, where that is told.
 */
export function stampedUsage(bytes: Uint8Array, span: Span | null, usage: Usage, stamp: ReplyStamp): string {
  const told = jsonAt(bytes, span)
  const figures = {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite + (usage.cacheWriteLong ?? 0),
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output + usage.reasoning,
  }
  return withCost({ ...(isRecord(told) ? told : {}), ...figures }, usage, stamp) + routingField(stamp)
}
