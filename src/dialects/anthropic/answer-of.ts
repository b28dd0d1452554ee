import { PIECE_BYTES_MAX } from '../event-stream.ts'
import { given } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'
import { NO_END, NO_OBJECT, type StreamSum, streamSum, summed } from '../stream-sum.ts'

type Fields = Record<string, unknown>

/** The message that the events of a whole stream add up to. Its end must be there: `message_stop`. */
export function answerOf(stream: Uint8Array): StreamSum {
  return streamSum(stream, PIECE_BYTES_MAX, (events) => {
    const sum = new Sum()
    for (const { name, text } of events) {
      if (text === '[DONE]') continue
      const event = parseLossless(text)
      if (name === 'error' || (isFields(event) && event.type === 'error')) return summed('error', event)
      if (!isFields(event)) return NO_OBJECT
      sum.add(event)
      if (sum.isOver) return summed('answer', sum.whole())
    }
    return NO_END
  })
}

/** What the events so far add up to. */
class Sum {
  isOver = false
  #message: Fields = {}
  readonly #usage: Fields = {}
  readonly #stop: Fields = {}
  readonly #blocks = new Map<number, Block>()

  add(event: Fields): void {
    if (event.type === 'message_stop') this.isOver = true
    else if (event.type === 'message_start') this.#begin(event.message)
    else if (event.type === 'message_delta') this.#end(event)
    else if (typeof event.index === 'number') this.#addPiece(event.index, event)
  }

  whole(): Fields {
    const blocks = [...this.#blocks].sort(([one], [other]) => one - other).map(([, block]) => block.whole())
    const usage = Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage }
    return { ...this.#message, content: blocks, stop_sequence: null, ...this.#stop, ...usage }
  }

  #begin(message: unknown): void {
    if (!isFields(message)) return
    const { usage, ...rest } = message
    this.#message = rest
    if (isFields(usage)) this.#addUsage(usage)
  }

  #end({ delta, usage }: Fields): void {
    if (isFields(delta)) for (const [name, value] of Object.entries(delta)) if (given(value)) this.#stop[name] = value
    if (isFields(usage)) this.#addUsage(usage)
  }

  /** The last word on each counts. */
  #addUsage(usage: Fields): void {
    for (const [name, value] of Object.entries(usage)) if (given(value)) this.#usage[name] = value
  }

  #addPiece(index: number, { type, content_block: block, delta }: Fields): void {
    if (type === 'content_block_start') this.#blocks.set(index, new Block(isFields(block) ? block : {}))
    else if (type === 'content_block_delta' && isFields(delta)) this.#blocks.get(index)?.add(delta)
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
