import { isRecord } from '../lib/index.ts'
import { textOf } from './as-chat.ts'
import type { DemoRequest } from './demo-request.ts'

/** What a simulated model answers: text or one tool call, and its count of tokens. */
export interface DemoAnswer {
  /** In the pieces in which a stream brings it; empty for a tool call. */
  readonly pieces: readonly string[]
  readonly toolCall: { readonly name: string; readonly arguments: string } | null
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
  readonly promptTokens: number
  readonly outputTokens: number
}

const TOKENS_PER_REQUEST = 4
const TOKENS_PER_MESSAGE = 4
const TOOL_CALL_TOKENS = 6 // the frame around name and arguments

/**
 * The answer of a simulated model: the same for the same request, whatever happened before. A word and a punctuation mark are a token
 * each. Tools are called when they are given, unless the caller forbids it or brings their result.
 */
export function demoAnswer(request: DemoRequest, backend: string, talk: string): DemoAnswer {
  const promptTokens = request.messages.reduce(
    (sum, message) => sum + TOKENS_PER_MESSAGE + tokensOf(textOf(message.content)).length,
    TOKENS_PER_REQUEST,
  )
  const toolCall = toolCallOf(request)
  if (toolCall !== null) {
    const outputTokens = TOOL_CALL_TOKENS + tokensOf(toolCall.name).length + tokensOf(toolCall.arguments).length
    return { pieces: [], toolCall, finishReason: 'tool_calls', promptTokens, outputTokens }
  }
  const all = tokensOf(`${greetingOf(backend)}${talk === '' ? '' : ` ${talk}`}`)
  const limit = request.max_completion_tokens ?? request.max_tokens ?? all.length
  const pieces = all.slice(0, limit)
  const finishReason = pieces.length < all.length ? 'length' : 'stop'
  return { pieces, toolCall: null, finishReason, promptTokens, outputTokens: pieces.length }
}

/** What every simulated model says first. */
export const greetingOf = (backend: string): string => `Hello from ${backend}. I am a simulated provider.`

/** Words and punctuation marks, each with the space before it: joined they are the text again. */
export const tokensOf = (text: string): string[] => text.match(/\s*[\p{L}\p{N}_']+|\s*[^\s\p{L}\p{N}_']|\s+$/gu) ?? []

function toolCallOf({ tools, tool_choice: choice, messages }: DemoRequest): DemoAnswer['toolCall'] {
  const asked = tools?.find((tool) => tool.type === 'function' && tool.function !== undefined)?.function
  if (asked === undefined || choice === 'none' || messages.at(-1)?.role === 'tool') return null
  return { name: asked.name, arguments: JSON.stringify(exampleOf(asked.parameters ?? {}, 0)) }
}

const DEPTH_MAX = 8

/** A value that fits a JSON schema well enough to try a tool with. */
function exampleOf(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  if (schema.type === 'string') return 'demo'
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return []
  if (!isRecord(schema.properties) || depth >= DEPTH_MAX) return {}
  const entries = Object.entries(schema.properties)
  return Object.fromEntries(entries.map(([name, inner]) => [name, exampleOf(isRecord(inner) ? inner : {}, depth + 1)]))
}
