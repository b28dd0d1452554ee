import { eventText, isRecord } from '../lib/index.ts'
import type { AnswerHead } from './answer-body.ts'
import { asChat, type Fields, listOf, textOf } from './as-chat.ts'
import { type DemoAnswer, demoAnswer } from './demo-answer.ts'
import type { DemoReply } from './demo-reply.ts'
import type { DemoRequest } from './demo-request.ts'

/** What a simulated model answers to `/messages`: the same that it would say to a chat, in Anthropic's form. */
export function demoMessage(request: Fields, { id, model }: AnswerHead, backend: string): DemoReply {
  const answer = demoAnswer(chatOf(request), backend, '')
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model }
  const usage = { input_tokens: answer.promptTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const ending = { stop_reason: REASONS[answer.finishReason], stop_sequence: null }
  const block = blockOf(answer, id)
  if (request.stream !== true) {
    const body = {
      ...message,
      content: [block.whole],
      ...ending,
      usage: { ...usage, output_tokens: answer.outputTokens },
    }
    return { kind: 'json', body }
  }
  const began = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  const events = [
    { type: 'message_start', message: began },
    { type: 'content_block_start', index: 0, content_block: block.empty },
    { type: 'ping' },
    ...block.deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: ending, usage: { output_tokens: answer.outputTokens } },
    { type: 'message_stop' },
  ]
  return { kind: 'events', events: events.map(eventText) }
}

/** What it answers to `/messages/count_tokens`. */
export const demoTokenCount = (request: Fields): DemoReply => ({
  kind: 'json',
  body: { input_tokens: demoAnswer(chatOf(request), '', '').promptTokens },
})

const REASONS: Readonly<Record<DemoAnswer['finishReason'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
}

function blockOf({ pieces, toolCall }: DemoAnswer, id: string) {
  if (toolCall === null)
    return {
      whole: { type: 'text', text: pieces.join('') },
      empty: { type: 'text', text: '' },
      deltas: pieces.map((text): Fields => ({ type: 'text_delta', text })),
    }
  const tool = { type: 'tool_use', id: `toolu_${id.replace(/\W/g, '_')}`, name: toolCall.name }
  return {
    whole: { ...tool, input: JSON.parse(toolCall.arguments) },
    empty: { ...tool, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: toolCall.arguments }],
  }
}

const chatOf = ({ model, system, messages, tools, tool_choice: choice, max_tokens: limit }: Fields): DemoRequest =>
  asChat({
    model,
    system: system === undefined ? null : textOf(system),
    messages: listOf(messages).map(({ role, content }) => ({
      role: listOf(content).some(({ type }) => type === 'tool_result') ? 'tool' : String(role),
      content: textOf(content),
    })),
    tools: listOf(tools).map(({ name, input_schema: schema }) => ({ name, schema })),
    mayCall: !isRecord(choice) || choice.type !== 'none',
    outputTokensMax: limit,
  })
