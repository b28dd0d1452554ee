import { end, json, type Part, type Script, type Step, script, send } from './script.ts'

/** The model's name as the scripted provider says it. */
export const PROVIDER_MODEL = 'provider-model-2026'
const ID = 'chatcmpl-scripted'
const CREATED = 1_760_000_000

/** A stream of chat completions: one chunk of the body for each event. It gets its proper end, unless the last step is an ending itself. */
export function sse(...parts: readonly Part[]): Script {
  const body = script(...parts)
  const last = body.steps.at(-1)
  const endsItself = last !== undefined && (last.reset ?? last.close ?? last.hang ?? last.end) === true
  return script({ status: 200, headers: { 'content-type': 'text/event-stream' } }, body, ...(endsItself ? [] : [end()]))
}

/** One event with this value as JSON. */
export const event = (value: unknown): Step => send(`data: ${JSON.stringify(value)}\n\n`)

/** One event of a chat stream, with one choice of this delta. */
export const delta = (value: unknown, finishReason: string | null = null, index = 0): Step =>
  event(chunk([{ index, delta: value, logprobs: null, finish_reason: finishReason }]))

/** The first event: no content yet. */
export const role = (): Step => delta({ role: 'assistant', content: '' })
export const text = (content: string): Step => delta({ content })
export const finish = (reason = 'stop'): Step => delta({}, reason)
/** The usage event: no choice. `more` are further fields of the usage, e.g. `prompt_tokens_details`. */
export const usage = (promptTokens: number, completionTokens: number, more: object = {}): Step =>
  event({ ...chunk([]), usage: usageOf(promptTokens, completionTokens, more) })
export const done = (): Step => send('data: [DONE]\n\n')
export const comment = (words = 'keep-alive'): Step => send(`: ${words}\n\n`)

/** A piece of a tool call; the piece with an `id` begins it. */
export function toolCall(piece: {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly arguments?: string
}): Step {
  const { index = 0, id, name, arguments: args = '' } = piece
  const begins = id === undefined ? {} : { id, type: 'function' }
  return delta({
    tool_calls: [{ index, ...begins, function: { ...(name === undefined ? {} : { name }), arguments: args } }],
  })
}

/** A plain answer of a chat: `json(...)` of a whole completion. `more` are further fields of the outermost object. */
export function completion(content: string, promptTokens: number, completionTokens: number, more: object = {}): Script {
  return json({
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: PROVIDER_MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: 'stop' }],
    usage: usageOf(promptTokens, completionTokens, {}),
    ...more,
  })
}

const chunk = (choices: readonly unknown[]): object => ({
  id: ID,
  object: 'chat.completion.chunk',
  created: CREATED,
  model: PROVIDER_MODEL,
  choices,
})

const usageOf = (promptTokens: number, completionTokens: number, more: object): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  ...more,
})
