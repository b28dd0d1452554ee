import { expect } from 'bun:test'
import { endedInTurn } from './ended-in-turn.ts'
import { type GatewaySpec, type OfferSpec, startGateway, type TestGateway } from './gateway.ts'
import type { RawAnswer } from './raw-answer.ts'
import { rawRequest } from './raw-client.ts'
import { json, type Part, type Script, type Step, send } from './script.ts'
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts'
import { HELLO } from './wire-chat.ts'

export const MESSAGES_PATH = '/v1/messages'
export const COUNT_PATH = '/v1/messages/count_tokens'
/** Settings of a backend that speaks this dialect alone. */
export const SPEAKS = { dialects: ['anthropic'] }

const ID = 'msg_01scripted'
const MODEL = 'claude-provider-2026'

// ---- what a provider says

/** One named event of a message's stream. */
export const named = (data: { readonly type: string } & Readonly<Record<string, unknown>>): Step =>
  send(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)

/** The first event; `usage` over 20 tokens of prompt, none of them cached. */
export const start = (usage: object = {}): Step =>
  named({
    type: 'message_start',
    message: {
      id: ID,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 1,
        ...usage,
      },
    },
  })

export const ping = (): Step => named({ type: 'ping' })
export const block = (content: object, index = 0): Step =>
  named({ type: 'content_block_start', index, content_block: content })
export const textBlock = (): Step => block({ type: 'text', text: '' })
export const delta = (said: object, index = 0): Step => named({ type: 'content_block_delta', index, delta: said })
export const said = (text: string): Step => delta({ type: 'text_delta', text })
export const blockEnd = (index = 0): Step => named({ type: 'content_block_stop', index })

/** `message_delta`, with the tokens of the answer. */
export const stopped = (outputTokens: number, reason = 'end_turn', usage: object = {}): Step =>
  named({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: outputTokens, ...usage },
  })
export const messageStop = (): Step => named({ type: 'message_stop' })

/** An error in a stream, or as a body (`errorBody`). */
export const errorEvent = (type: string, message: string): Step => named({ type: 'error', error: { type, message } })
export const errorBody = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_p',
})

/** A plain answer. `usage` over 20 tokens of prompt and 5 of answer. */
export const message = (text: string, usage: object = {}, more: object = {}): Script =>
  json({
    id: ID,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5, ...usage },
    ...more,
  })

// ---- what a caller does

/** The key as Anthropic's SDKs send it. */
export const apiKey = ({ key }: { readonly key: string }): Record<string, string> => ({
  'x-api-key': key,
  'anthropic-version': '2023-06-01',
})

export interface Asked {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One request for a message; `fields` are laid over a small plain one for model `m1`. */
export function ask(
  gateway: TestGateway,
  fields: object = {},
  { path = MESSAGES_PATH, headers }: Asked = {},
): RawAnswer {
  return rawRequest(gateway.origin, {
    path,
    headers: headers ?? apiKey(gateway),
    json: { model: 'm1', messages: HELLO, max_tokens: 16, ...fields },
  })
}

/** The error of an answer in Anthropic's shape. */
export async function anthropicErrorOf(answer: RawAnswer) {
  const head = await answer.head()
  expect(head.header('content-type')).toBe('application/json')
  const { type, error, request_id: requestId, ...others } = JSON.parse(await answer.text())
  expect([type, others]).toEqual(['error', {}])
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/)
  expect([head.header('x-request-id'), head.header('request-id')]).toEqual([requestId, requestId])
  return { head, status: head.status, ...error }
}

export interface MessagesWorld extends AsyncDisposable {
  readonly provider: ScriptedProvider
  readonly gateway: TestGateway
}

/** A gateway with one provider of this dialect that plays these scripts. */
export const messagesWorld = (...parts: readonly Part[]): Promise<MessagesWorld> => worldWith({}, ...parts)

/** The same with settings of its own; `offer` is laid over the one offer. */
export async function worldWith(
  { offer = {}, ...spec }: Omit<GatewaySpec, 'offers'> & { readonly offer?: Partial<OfferSpec> },
  ...parts: readonly Part[]
): Promise<MessagesWorld> {
  const provider = await scriptedProvider()
  provider.script(...parts)
  const gateway = await startGateway({ ...spec, offers: { m1: [{ provider, backend: SPEAKS, ...offer }] } })
  return {
    provider,
    gateway,
    ...endedInTurn(gateway, provider),
  }
}
