import { isRecord } from '../../lib/index.ts'
import { NO_END, NO_OBJECT, type StreamSum, streamSum, summed } from '../stream-sum.ts'
import { parseLossless } from './parse-lossless.ts'

type Fields = Record<string, unknown>

/** The message that the events of a whole stream add up to. Its end must be there: `message_stop`. */
export function answerOf(stream: Uint8Array): StreamSum {
  return streamSum(stream, EVENT_BYTES_MAX, (events) => {
    const sum = new Sum()
    for (const { name, text } of events) {
      if (text === '[DONE]') continue
      const event: unknown = JSON.parse(text)
      if (name === 'error' || (isRecord(event) && event.type === 'error')) return summed('error', event)
      if (!isRecord(event)) return NO_OBJECT
      sum.add(event, text)
      if (sum.isOver) return summed('answer', sum.whole())
    }
    return NO_END
  })
}

const EVENT_BYTES_MAX = 4 * 1024 * 1024

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
