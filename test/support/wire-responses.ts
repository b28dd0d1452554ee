import { json, type Part, type Script } from './script.ts'
import { typedEvent, typedSse } from './wire-operations.ts'

export const RESPONSE_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
}

export const MESSAGE_ITEM = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
}

/** A response as a provider sends it. */
export const responseBody = (fields: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 7,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'provider-m1',
  output: [MESSAGE_ITEM],
  store: true,
  usage: RESPONSE_USAGE,
  ...fields,
})

export const responseJson = (fields: object = {}): Script => json(responseBody(fields))

/** The events of a response that says these pieces; `rest` follows them in place of its end. */
export function responseEvents(pieces: readonly string[], rest?: readonly object[]): { readonly type: string }[] {
  const begun = responseBody({ status: 'in_progress', output: [], usage: null })
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const text = pieces.join('')
  const part = { type: 'output_text', text, annotations: [] }
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...MESSAGE_ITEM, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    ...(rest ?? [
      { type: 'response.output_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: { ...MESSAGE_ITEM, content: [part] } },
      { type: 'response.completed', response: responseBody({ output: [{ ...MESSAGE_ITEM, content: [part] }] }) },
    ]),
  ]
  return events.map((event, at) => ({ type: '', sequence_number: at, ...event }))
}

/** These events as a stream. */
export const responseSse = (events: readonly { readonly type: string }[], ...after: readonly Part[]): Script =>
  typedSse(...events.map(typedEvent), ...after)

/** The events of a body, parsed, and whether each has its name. */
export function eventsIn(body: string): { readonly name: string | null; readonly data: Record<string, unknown> }[] {
  return body
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      name: /^event: (.*)$/m.exec(block)?.[1] ?? null,
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    }))
}
