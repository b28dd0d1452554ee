import { eventText } from '../lib/index.ts'
import type { AnswerHead } from './answer-body.ts'
import { asChat, type Fields, listOf, textOf } from './as-chat.ts'
import { type DemoAnswer, demoAnswer } from './demo-answer.ts'
import type { DemoReply } from './demo-reply.ts'
import type { DemoRequest } from './demo-request.ts'

/** What a simulated model answers to `/responses`: the same that it would say to a chat. */
export function demoResponse(request: Fields, head: AnswerHead, backend: string): DemoReply {
  const answer = demoAnswer(chatOf(request), backend, '')
  const item = itemOf(answer, head.id)
  const isCut = answer.finishReason === 'length'
  const common = {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    background: request.background === true,
    error: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: head.model,
    parallel_tool_calls: true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    store: request.store !== false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    user: null,
    metadata: {},
  }
  const whole = {
    ...common,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: [item.whole],
    usage: usageOf(answer),
  }
  if (request.stream !== true) return { kind: 'json', body: whole, response: whole }
  const begun = { ...common, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: item.empty },
    ...item.events,
    { type: 'response.output_item.done', output_index: 0, item: item.whole },
    { type: isCut ? 'response.incomplete' : 'response.completed', response: whole },
  ]
  return { kind: 'events', events: events.map(numbered), response: whole }
}

/** What it answers to `/responses/input_tokens`. */
export const demoInputTokens = (request: Fields): DemoReply => ({
  kind: 'json',
  body: { object: 'response.input_tokens', input_tokens: demoAnswer(chatOf(request), '', '').promptTokens },
})

const numbered = ({ type, ...rest }: Fields, at: number): string => eventText({ type, sequence_number: at, ...rest })

const usageOf = ({ promptTokens, outputTokens }: DemoAnswer) => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: promptTokens + outputTokens,
})

function itemOf({ pieces, toolCall }: DemoAnswer, id: string) {
  if (toolCall !== null) {
    const place = { item_id: `fc_${id}`, output_index: 0 }
    const call = { id: `fc_${id}`, type: 'function_call', call_id: `call_${id}`, name: toolCall.name }
    return {
      whole: { ...call, status: 'completed', arguments: toolCall.arguments },
      empty: { ...call, status: 'in_progress', arguments: '' },
      events: [
        { type: 'response.function_call_arguments.delta', ...place, delta: toolCall.arguments },
        {
          type: 'response.function_call_arguments.done',
          ...place,
          name: toolCall.name,
          arguments: toolCall.arguments,
        },
      ],
    }
  }
  const text = pieces.join('')
  const place = { item_id: `msg_${id}`, output_index: 0, content_index: 0 }
  const part = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant' }
  return {
    whole: { ...message, status: 'completed', content: [part(text)] },
    empty: { ...message, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...place, part: part('') },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part: part(text) },
    ],
  }
}

function chatOf({ model, instructions, input, tools, tool_choice: choice, ...rest }: Fields): DemoRequest {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  return asChat({
    model,
    system: typeof instructions === 'string' ? instructions : null,
    messages: items.map(({ type, role, content }) => ({
      role: type === 'function_call_output' ? 'tool' : String(role ?? 'user'),
      content: textOf(content),
    })),
    tools: listOf(tools)
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name, schema: parameters })),
    mayCall: choice !== 'none',
    outputTokensMax: rest.max_output_tokens,
  })
}
