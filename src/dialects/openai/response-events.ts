import { assert, eventText, isRecord } from '../../lib/index.ts'
import { cutText } from '../cut-text.ts'

type Fields = Readonly<Record<string, unknown>>
type Event = Fields & { readonly type: string }

/**
 * The events that say the same as a whole response, numbered without holes, in the order that strict readers insist on (WIRE.md, 7): each item is
 * begun, said and ended before the next.
 */
export function responseEvents(whole: unknown): Uint8Array {
  assert(isRecord(whole) && Array.isArray(whole.output), 'a response without output')
  const items = whole.output.filter(isRecord)
  const begun = {
    ...whole,
    status: 'in_progress',
    output: [],
    usage: null,
    incomplete_details: null,
    completed_at: null,
  }
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(itemEvents),
    { type: whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: whole },
  ]
  return Buffer.from(events.map(({ type, ...rest }, at) => eventText({ type, sequence_number: at, ...rest })).join(''))
}

function itemEvents(item: Fields, index: number): Event[] {
  const place = { output_index: index, item_id: typeof item.id === 'string' ? item.id : `item_${index}` }
  const empty = emptied(item)
  return [
    { type: 'response.output_item.added', output_index: index, item: empty },
    ...insides(item, place),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

/** As it stands before anything of it was said. */
function emptied(item: Fields): Fields {
  const begun = 'status' in item ? { ...item, status: 'in_progress' } : item
  if (item.type === 'message') return { ...begun, content: [] }
  if (item.type === 'function_call') return { ...begun, arguments: '' }
  if (item.type === 'custom_tool_call') return { ...begun, input: '' }
  if (item.type === 'reasoning') return { ...begun, summary: [] }
  return begun
}

function insides(item: Fields, place: Fields): Event[] {
  if (item.type === 'message')
    return partsOf(item.content).flatMap((part, at) => contentEvents(part, { ...place, content_index: at }))
  if (item.type === 'reasoning')
    return partsOf(item.summary).flatMap((part, at) => summaryEvents(part, { ...place, summary_index: at }))
  if (item.type === 'function_call')
    return said('function_call_arguments', 'arguments', textOf(item.arguments), { ...place, name: item.name })
  if (item.type === 'custom_tool_call') return said('custom_tool_call_input', 'input', textOf(item.input), place)
  return []
}

function contentEvents(part: Fields, place: Fields): Event[] {
  const isText = part.type === 'output_text'
  const inner = isText
    ? said('output_text', 'text', textOf(part.text), place, { logprobs: [] })
    : part.type === 'refusal'
      ? said('refusal', 'refusal', textOf(part.refusal), place)
      : []
  const empty = isText
    ? { ...part, text: '', annotations: [] }
    : part.type === 'refusal'
      ? { ...part, refusal: '' }
      : part
  const notes = isText ? partsOf(part.annotations) : []
  return [
    { type: 'response.content_part.added', ...place, part: empty },
    ...inner.slice(0, -1),
    ...notes.map((annotation, at) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index: at,
      annotation,
    })),
    ...inner.slice(-1),
    { type: 'response.content_part.done', ...place, part },
  ]
}

const summaryEvents = (part: Fields, place: Fields): Event[] => [
  { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
  ...said('reasoning_summary_text', 'text', textOf(part.text), place),
  { type: 'response.reasoning_summary_part.done', ...place, part },
]

/** A text in pieces, then whole. */
const said = (name: string, field: string, text: string, place: Fields, more: Fields = {}): Event[] => [
  ...cutText(text).map((delta) => ({ type: `response.${name}.delta`, ...place, delta, ...more })),
  { type: `response.${name}.done`, ...place, [field]: text, ...more },
]

const partsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
