import { isRecord } from '../lib/index.ts'
import type { DemoRequest } from './demo-request.ts'

/** The fields of a body whose form nobody has checked. */
export type Fields = Readonly<Record<string, unknown>>

/** What a request in another form than that of chats says. */
export interface Said {
  readonly model: unknown
  /** What the model is told before; null: nothing. */
  readonly system: string | null
  readonly messages: DemoRequest['messages']
  readonly tools: readonly { readonly name: unknown; readonly schema: unknown }[]
  readonly mayCall: boolean
  readonly outputTokensMax: unknown
}

/** The chat that asks for the same. */
export function asChat({ model, system, messages, tools, mayCall, outputTokensMax }: Said): DemoRequest {
  const asked = tools.map(({ name, schema }) => ({
    type: 'function',
    function: { name: String(name), parameters: isRecord(schema) ? schema : {} },
  }))
  return {
    model: String(model),
    messages: system === null ? messages : [{ role: 'system', content: system }, ...messages],
    ...(typeof outputTokensMax === 'number' ? { max_tokens: outputTokensMax } : {}),
    ...(asked.length === 0 ? {} : { tools: asked }),
    ...(mayCall ? {} : { tool_choice: 'none' }),
  }
}

/** The objects of a list; none where there is no list. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** What a content says: a text, or parts of which some have one. */
export const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('')
