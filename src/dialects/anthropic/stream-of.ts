import { assert, eventText } from '../../lib/index.ts'
import { cutText } from '../cut-text.ts'
import { givenFields } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The stream that says the same as a whole message: its start, each block in pieces, then the stop_reason with the usage, and the end. `answer` is
 * one that `readReply` took for an answer.
 */
export function streamOf(answer: Uint8Array): Uint8Array {
  const whole = parseLossless(Buffer.from(answer).toString())
  assert(isFields(whole) && Array.isArray(whole.content), 'a message without content')
  const { content, stop_reason = null, stop_sequence = null, usage = null, type: _, ...rest } = whole
  const started = {
    type: 'message',
    ...rest,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...startUsage(usage),
  }
  const events = [
    { type: 'message_start', message: started },
    ...content.flatMap((block, index) => piecesOf(isFields(block) ? block : {}).map((piece) => ({ ...piece, index }))),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, ...givenFields({ usage }) },
    { type: 'message_stop' },
  ]
  return Buffer.from(events.map(eventText).join(''))
}

/** At its start an answer has no tokens of its own yet. */
const startUsage = (usage: unknown): Fields => (isFields(usage) ? { usage: { ...usage, output_tokens: 0 } } : {})

type Piece = Fields & { readonly type: string }

/** The events of one block, but for its index. */
function piecesOf(block: Fields): Piece[] {
  const { empty, deltas } = taken(block)
  return [
    { type: 'content_block_start', content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ]
}

/** What a block begins with, and what is added to it. A block of a kind that is not known is said whole. */
function taken(block: Fields): { readonly empty: Fields; readonly deltas: readonly Fields[] } {
  const { text, thinking, signature, input, citations, ...rest } = block
  if (block.type === 'text' && typeof text === 'string') {
    const cited = Array.isArray(citations) ? citations : []
    return {
      empty: { ...rest, text: '', ...(Array.isArray(citations) ? { citations: [] } : givenFields({ citations })) },
      deltas: [
        ...cited.map((citation: unknown) => ({ type: 'citations_delta', citation })),
        ...cutText(text).map((piece) => ({ type: 'text_delta', text: piece })),
      ],
    }
  }
  if (block.type === 'thinking' && typeof thinking === 'string') {
    const signed = typeof signature === 'string' && signature !== ''
    return {
      empty: { ...rest, thinking: '', signature: '' },
      deltas: [
        ...cutText(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...(signed ? [{ type: 'signature_delta', signature }] : []),
      ],
    }
  }
  if (!isFields(input)) return { empty: block, deltas: [] }
  const pieces = Object.keys(input).length === 0 ? [] : cutText(JSON.stringify(input))
  return {
    empty: { ...rest, input: {} },
    deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }
}
