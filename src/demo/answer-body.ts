import type { DemoAnswer } from './demo-answer.ts'

/** What all parts of one answer carry. */
export interface AnswerHead {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
}

const toolCallId = (head: AnswerHead, choice: number): string => `call_${head.id.replace(/\W/g, '_')}_${choice}`

const usageOf = ({ promptTokens, outputTokens }: DemoAnswer, choices: number) => ({
  prompt_tokens: promptTokens,
  completion_tokens: outputTokens * choices,
  total_tokens: promptTokens + outputTokens * choices,
})

/** The body of a plain answer, in the form of OpenAI's chat completions. */
export function answerBody(head: AnswerHead, answer: DemoAnswer, choices: number): unknown {
  const { pieces, toolCall, finishReason } = answer
  const choice = (index: number) => ({
    index,
    message: {
      role: 'assistant',
      content: toolCall === null ? pieces.join('') : null,
      refusal: null,
      ...(toolCall === null
        ? {}
        : { tool_calls: [{ id: toolCallId(head, index), type: 'function', function: toolCall }] }),
    },
    logprobs: null,
    finish_reason: finishReason,
  })
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: Array.from({ length: choices }, (_, index) => choice(index)),
    usage: usageOf(answer, choices),
    system_fingerprint: null,
  }
}

/** An event of a stream; `paced` ones carry a token and come at the model's speed. */
export interface DemoEvent {
  readonly text: string
  readonly paced: boolean
}

/** The events of a streamed answer, in order, as they go on the wire. */
export function answerEvents(head: AnswerHead, answer: DemoAnswer, choices: number, withUsage: boolean): DemoEvent[] {
  const indexes = Array.from({ length: choices }, (_, index) => index)
  const event = (fields: object, paced: boolean): DemoEvent => {
    const { id, created, model } = head
    return {
      text: `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...fields })}\n\n`,
      paced,
    }
  }
  const delta = (index: number, content: object, finishReason: string | null, paced: boolean) =>
    event({ choices: [{ index, delta: content, finish_reason: finishReason }] }, paced)

  const events = indexes.map((index) => delta(index, { role: 'assistant', content: '' }, null, false))
  for (const piece of answer.pieces)
    events.push(...indexes.map((index) => delta(index, { content: piece }, null, index === 0)))
  const { toolCall } = answer
  if (toolCall !== null) {
    for (const index of indexes) {
      const begun = {
        index: 0,
        id: toolCallId(head, index),
        type: 'function',
        function: { name: toolCall.name, arguments: '' },
      }
      events.push(delta(index, { tool_calls: [begun] }, null, true))
      events.push(delta(index, { tool_calls: [{ index: 0, function: { arguments: toolCall.arguments } }] }, null, true))
    }
  }
  events.push(...indexes.map((index) => delta(index, {}, answer.finishReason, false)))
  if (withUsage) events.push(event({ choices: [], usage: usageOf(answer, choices) }, false))
  events.push({ text: 'data: [DONE]\n\n', paced: false })
  return events
}

/** The body of an error answer. */
export const errorBody = (
  type: string,
  code: string | null,
  message: string,
  param: string | null = null,
): unknown => ({
  error: { message, type, param, code },
})
