import { jsonBytes, type Splice } from '../../lib/index.ts'
import type { ReplyView } from '../dialect.ts'
import { endsObject, fieldSplice, jsonAt } from '../field-splice.ts'
import { routingField } from '../routing-field.ts'
import type { ResponseRead } from './read-response-object.ts'
import { stampedResponseUsage } from './stamped-usage.ts'

/**
 * What changes in a response: the model's name; on a stamped surface the fields that its readers insist on, and in one that is whole what it cost. Its
 * id stays the provider's everywhere: it is asked for by it later. One that says nothing stays so.
 */
export function responseSplices(bytes: Uint8Array, read: ResponseRead, view: ReplyView, textBytes: number): Splice[] {
  const splices: Splice[] = []
  if (read.model !== null) splices.push({ ...read.model, bytes: jsonBytes(view.model) })
  const { stamp } = view
  const { insertAt, usageSpan } = read
  if (stamp === undefined || endsObject(bytes, insertAt)) return splices
  let inserted = ''
  for (const [name, json] of DEFAULTS) if (!read.seen.has(name)) inserted += `"${name}":${json},`
  if (inserted !== '') splices.push({ start: insertAt, end: insertAt, bytes: Buffer.from(inserted) })
  if (isWhole(read)) {
    const usage = read.usage ?? stamp.estimate(textBytes)
    const json = stampedResponseUsage(jsonAt(bytes, usageSpan), usage, stamp) + routingField(stamp)
    splices.push(fieldSplice('usage', usageSpan, json, insertAt))
  }
  return splices
}

/** Nothing will be added to it any more. */
export const isWhole = ({ status }: ResponseRead): boolean => status !== 'queued' && status !== 'in_progress'

/** Fields that OpenAI's own responses always have, and strict readers insist on (WIRE.md, 7), with what they are where a provider leaves them out. */
export const responseDefaults = {
  completed_at: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  temperature: null,
  top_p: null,
  frequency_penalty: 0,
  presence_penalty: 0,
  metadata: {},
} as const

const DEFAULTS = Object.entries(responseDefaults).map(([name, value]) => [name, JSON.stringify(value)] as const)
