import { isRecord, SseOverflow, SseSplitter, sseEvent } from '../../lib/index.ts'
import { notAnAnswer } from '../not-an-answer.ts'
import type { StreamSum } from '../openai/answer-of.ts'
import { parseLossless } from './parse-lossless.ts'

type Fields = Record<string, unknown>

/** The message that the events of a whole stream add up to. Its end must be there: `message_stop`. */
export function answerOf(stream: Uint8Array): StreamSum {
  const sum = new Sum()
  const splitter = new SseSplitter(EVENT_BYTES_MAX)
  splitter.push(stream)
  splitter.finish()
  try {
    while (!sum.isOver && splitter.next()) {
      const { name, data } = sseEvent(splitter.bytes, splitter.start, splitter.end)
      const text = data === null ? '' : Buffer.from(data).toString().trim()
      if (text === '' || text === '[DONE]') continue
      const event: unknown = JSON.parse(text)
      if (name === 'error' || (isRecord(event) && event.type === 'error'))
        return { kind: 'error', body: encoded(event) }
      if (!isRecord(event)) return notAnAnswer('an event of the stream is no JSON object')
      sum.add(event, text)
    }
    return sum.isOver ? { kind: 'answer', body: encoded(sum.whole()) } : notAnAnswer('the stream ended before its end')
  } catch (error) {
    if (error instanceof SyntaxError) return notAnAnswer('an event of the stream is not JSON')
    if (error instanceof SseOverflow) return notAnAnswer(error.message)
    throw error
  }
}

const EVENT_BYTES_MAX = 4 * 1024 * 1024

const encoded = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const given = (value: unknown): boolean => value !== null && value !== undefined

/** What the events so far add up to. */
class Sum {
  isOver = false
  #message: Fields = {}
  readonly #usage: Fields = {}
  readonly #stop: Fields = {}
  readonly #blocks = new Map<number, Block>()

  /** `text` is the event as it came. */
  add(event: Fields, text: string): void {
    if (event.type === 'message_stop') this.isOver = true
    else if (event.type === 'message_start') this.#begin(event.message)
    else if (event.type === 'message_delta') this.#end(event)
    else if (typeof event.index === 'number') this.#addPiece(event.index, event, text)
  }

  whole(): Fields {
    const blocks = [...this.#blocks].sort(([one], [other]) => one - other).map(([, block]) => block.whole())
    const usage = Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage }
    return { ...this.#message, content: blocks, stop_sequence: null, ...this.#stop, ...usage }
  }

  #begin(message: unknown): void {
    if (!isRecord(message)) return
    const { usage, ...rest } = message
    this.#message = rest
    if (isRecord(usage)) this.#addUsage(usage)
  }

  #end({ delta, usage }: Fields): void {
    if (isRecord(delta)) for (const [name, value] of Object.entries(delta)) if (given(value)) this.#stop[name] = value
    if (isRecord(usage)) this.#addUsage(usage)
  }

  /** The last word on each counts. */
  #addUsage(usage: Fields): void {
    for (const [name, value] of Object.entries(usage)) if (given(value)) this.#usage[name] = value
  }

  #addPiece(index: number, { type, delta }: Fields, text: string): void {
    if (type === 'content_block_start') {
      const begun = parseLossless(text)
      const block = isRecord(begun) ? begun.content_block : null
      this.#blocks.set(index, new Block(isRecord(block) ? block : {}))
    } else if (type === 'content_block_delta' && isRecord(delta)) this.#blocks.get(index)?.add(delta)
  }
}

/** One block of content: what it began with, and what was added. */
class Block {
  readonly #fields: Fields
  #input = ''

  constructor(begun: Fields) {
    this.#fields = begun
  }

  add({ type: _, partial_json, citation, ...texts }: Fields): void {
    if (typeof partial_json === 'string') this.#input += partial_json
    if (given(citation)) {
      const known = this.#fields.citations
      this.#fields.citations = [...(Array.isArray(known) ? known : []), citation]
    }
    for (const [name, value] of Object.entries(texts)) {
      if (typeof value !== 'string' || name === '__proto__') continue
      const before = this.#fields[name]
      this.#fields[name] = typeof before === 'string' ? before + value : value
    }
  }

  /** Throws `SyntaxError` for an input whose pieces are no JSON. */
  whole(): Fields {
    return this.#input === '' ? this.#fields : { ...this.#fields, input: parseLossless(this.#input) }
  }
}
