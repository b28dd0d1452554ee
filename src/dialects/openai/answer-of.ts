import { PIECE_BYTES_MAX } from '../event-stream.ts'
import { given } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'
import { NO_END, NO_OBJECT, type StreamSum, streamSum, summed } from '../stream-sum.ts'

type Fields = Record<string, unknown>

/**
 * The plain answer that the events of a whole stream add up to, with the fields that its readers insist on (WIRE.md, 3.1). Its end must be there: a
 * finish_reason of every choice.
 */
export function answerOf(stream: Uint8Array, form: 'messages' | 'texts' = 'messages'): StreamSum {
  return streamSum(stream, PIECE_BYTES_MAX, (events) => {
    const sum = new Sum(form)
    for (const { name, text } of events) {
      if (text === '[DONE]') break
      const chunk = parseLossless(text)
      if (name === 'error' || (isFields(chunk) && given(chunk.error))) return summed('error', wrapped(chunk))
      if (!isFields(chunk)) return NO_OBJECT
      sum.add(chunk)
    }
    return sum.isFinished ? summed('answer', sum.whole()) : NO_END
  })
}

const wrapped = (said: unknown): unknown => (isFields(said) && given(said.error) ? said : { error: said })

/** What the chunks so far add up to. */
class Sum {
  readonly #fields: Fields = {}
  readonly #choices = new Map<number, Choice>()
  readonly #form: 'messages' | 'texts'

  constructor(form: 'messages' | 'texts') {
    this.#form = form
  }

  get isFinished(): boolean {
    const choices = [...this.#choices.values()]
    return choices.length > 0 && choices.every(({ reason }) => reason !== null)
  }

  add({ choices, object: _, ...rest }: Fields): void {
    for (const [name, value] of Object.entries(rest))
      if (given(value) && name !== '__proto__') this.#fields[name] = value
    if (!Array.isArray(choices)) return
    for (const [place, choice] of choices.entries()) if (isFields(choice)) this.#addChoice(choice, place)
  }

  whole(): Fields {
    const { usage, ...rest } = this.#fields
    const choices = [...this.#choices]
      .sort(([one], [other]) => one - other)
      .map(([index, choice]) => (this.#form === 'messages' ? choice.whole(index) : choice.text(index)))
    const marks =
      this.#form === 'messages'
        ? { system_fingerprint: null, ...rest, object: 'chat.completion' }
        : { ...rest, object: 'text_completion' }
    return {
      ...marks,
      choices,
      ...(usage === undefined ? {} : { usage }),
    }
  }

  #addChoice({ index, ...choice }: Fields, place: number): void {
    const at = typeof index === 'number' ? index : place
    const known = this.#choices.get(at) ?? new Choice()
    this.#choices.set(at, known)
    known.add(choice)
  }
}

/** One answer of several that were asked for. */
class Choice {
  reason: string | null = null
  readonly #message: Fields = { role: 'assistant', content: null, refusal: null }
  readonly #calls = new Map<number, Fields>()
  readonly #fields: Fields = {}

  add({ delta, finish_reason: reason, ...rest }: Fields): void {
    if (typeof reason === 'string' && reason !== '') this.reason = reason
    join(this.#fields, rest)
    if (!isFields(delta)) return
    const { role: _, tool_calls: calls, ...said } = delta
    join(this.#message, said)
    for (const call of Array.isArray(calls) ? calls : []) if (isFields(call)) this.#addCall(call)
  }

  whole(index: number): Fields {
    const calls = [...this.#calls].sort(([one], [other]) => one - other).map(([, call]) => call)
    const message = calls.length === 0 ? this.#message : { ...this.#message, tool_calls: calls }
    return { index, message, logprobs: null, ...this.#fields, finish_reason: this.reason }
  }

  /** The same as a choice of completions, where a text stands in place of a message. */
  text(index: number): Fields {
    return { text: '', index, logprobs: null, ...this.#fields, finish_reason: this.reason }
  }

  /** A piece without an index belongs to the call begun last, unless it begins one itself. */
  #addCall({ index, ...piece }: Fields): void {
    const begins = typeof piece.id === 'string' && piece.id !== ''
    const at = typeof index === 'number' ? index : begins ? this.#calls.size : Math.max(0, this.#calls.size - 1)
    const call = this.#calls.get(at) ?? { type: 'function', function: { name: '', arguments: '' } }
    this.#calls.set(at, call)
    join(call, piece)
  }
}

/** Adds what a piece says: texts and lists go on, of all else the last word counts. */
function join(known: Fields, said: Fields): void {
  for (const [name, value] of Object.entries(said)) {
    if (!given(value) || name === '__proto__') continue
    const before = Object.hasOwn(known, name) ? known[name] : undefined
    if (typeof value === 'string' && typeof before === 'string' && !MARKS.has(name)) known[name] = before + value
    else if (Array.isArray(value) && Array.isArray(before)) before.push(...value)
    else if (isFields(value) && isFields(before)) join(before, value)
    else if (value !== '' || before === undefined) known[name] = value
  }
}

/** Strings that are said whole each time. */
const MARKS: ReadonlySet<string> = new Set(['id', 'type', 'role', 'name', 'format', 'native_finish_reason'])
