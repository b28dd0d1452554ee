import { NO_USAGE, type ProviderError, USAGE_KINDS, type Usage } from '../../domain/index.ts'
import { JsonError, JsonKeys, JsonReader, jsonSplice, type Splice, SseSplitter, sseEvent } from '../../lib/index.ts'
import type { ReplyStream, ReplyView, Span, StreamEvent } from '../dialect.ts'
import { onOneLine } from '../on-one-line.ts'
import { readAnyError } from '../read-any-error.ts'
import { routingField } from '../routing-field.ts'
import { asStreamError, streamFailure } from '../stream-failure.ts'
import type { EventForm } from './operation-form.ts'
import { readUsage } from './read-usage.ts'
import { stampedFigures } from './stamped-usage.ts'

/**
 * Reads a stream of events that say in `type` what they are: pictures, sound. Each goes on under its name, which some readers need, with the
 * model's name spliced and all else as it came. There is no `[DONE]`: the event that ends the answer does.
 */
export function openTypedStream(form: EventForm, view: ReplyView): ReplyStream {
  return new TypedReplyStream(form, view)
}

class TypedReplyStream implements ReplyStream {
  usage: Usage | null = null
  textBytes = 0
  readonly #form: EventForm
  readonly #view: ReplyView
  readonly #splitter = new SseSplitter(EVENT_BYTES_MAX)
  readonly #reader = new JsonReader(NOTHING)
  #ends = 0 // events that end the answer, so far
  #over = false
  #failed = false

  constructor(form: EventForm, view: ReplyView) {
    this.#form = form
    this.#view = view
  }

  get finished(): boolean {
    return this.#ends > 0 && !this.#failed
  }

  /** Nothing follows its last end. */
  get closed(): boolean {
    return this.#ends >= (this.#view.ends ?? 1) && !this.#failed
  }

  push(bytes: Uint8Array): readonly StreamEvent[] {
    if (this.#over) return NONE
    this.#splitter.push(bytes)
    return this.#events()
  }

  end(): readonly StreamEvent[] {
    if (this.#over) return NONE
    this.#splitter.finish()
    return this.#events()
  }

  closing(): Uint8Array {
    return NOTHING
  }

  #events(): readonly StreamEvent[] {
    const events: StreamEvent[] = []
    try {
      while (!this.#over && this.#splitter.next()) this.#event(events)
    } catch (error) {
      throw asStreamError(error)
    }
    return events
  }

  #event(events: StreamEvent[]): void {
    const { bytes, start, end } = this.#splitter
    const { name, data, comments } = sseEvent(bytes, start, end)
    if (comments.length > 0) events.push({ kind: 'silent', bytes: Buffer.concat([comments, LINE_END]) })
    if (data === null) {
      if (comments.length === 0) events.push(WITHHELD)
    } else if (name === 'error') events.push(this.#failure(readAnyError(STATUS, data)))
    else events.push(this.#data(name, data))
  }

  #data(name: string | null, data: Uint8Array): StreamEvent {
    const text = data.length <= DONE_BYTES_MAX ? Buffer.from(data).toString().trim() : ''
    if (text === '[DONE]' || (text === '' && data.length <= DONE_BYTES_MAX)) return WITHHELD
    let read: EventRead | null
    try {
      read = this.#read(data)
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      return this.#failure(streamFailure(`an event of the stream is not JSON: ${error.problem}`))
    }
    if (read === null) return this.#failure(streamFailure('an event of the stream is no JSON object'))
    if (read.isError) return this.#failure(readAnyError(STATUS, data))
    if (read.isEnd) this.#endSeen(read)
    return { kind: read.isContent ? 'content' : 'silent', bytes: this.#written(name ?? read.type, data, read) }
  }

  /** An answer may have several ends, one for each picture. */
  #endSeen({ usage }: EventRead): void {
    this.#ends++
    if (usage === null) return
    const counted = this.#counted(usage)
    this.usage = this.usage === null ? counted : sumOf(this.usage, counted)
  }

  #read(data: Uint8Array): EventRead | null {
    const reader = this.#reader
    reader.open(data)
    if (reader.peek() !== 'object') {
      reader.skip()
      reader.finish()
      return null
    }
    const read: EventRead = {
      type: null,
      isContent: false,
      isEnd: false,
      isError: false,
      usage: null,
      usageSpan: null,
      model: null,
      insertAt: 0,
    }
    reader.enter()
    read.insertAt = reader.position
    while (reader.nextKey()) this.#field(read)
    reader.finish()
    return read
  }

  #field(read: EventRead): void {
    const reader = this.#reader
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    const start = reader.position
    if (field === 'usage') {
      read.usage = readUsage(reader)
      if (kind !== 'null') read.usageSpan = { start, end: reader.position }
      return
    }
    reader.skip()
    if (field === 'delta' && kind === 'string') this.textBytes += reader.stringBytes
    else if (field === 'model') read.model = { start, end: reader.position }
    else if (field === 'error') read.isError = kind !== 'null'
    else if (field === 'type' && kind === 'string') {
      read.type = String(reader.value())
      read.isContent = reader.stringIn(this.#form.content) !== undefined
      read.isEnd = reader.stringIn(this.#form.ends) !== undefined
      if (read.type === 'error') read.isError = true
    }
  }

  #written(name: string | null, data: Uint8Array, read: EventRead): Uint8Array {
    const splices: Splice[] = []
    if (read.model !== null) splices.push({ ...read.model, bytes: Buffer.from(JSON.stringify(this.#view.model)) })
    if (read.isEnd && this.#view.stamp !== undefined) splices.push(this.#stampedUsage(data, read))
    const body = splices.length === 0 ? data : jsonSplice(data, splices)
    const head = name === null ? FIELD : Buffer.from(`event: ${name}\ndata: `)
    return Buffer.concat([head, onOneLine(body), EVENT_END])
  }

  /** What this end of the answer costs, in its usage. */
  #stampedUsage(data: Uint8Array, { usage, usageSpan, insertAt }: EventRead): Splice {
    const { stamp } = this.#view
    const given: unknown =
      usageSpan === null ? null : JSON.parse(Buffer.from(data.subarray(usageSpan.start, usageSpan.end)).toString())
    const billed = usage ?? stamp?.estimate(this.textBytes) ?? NO_USAGE
    const counted = usage === null ? billed : this.#counted(usage)
    const json = stamp === undefined ? 'null' : stampedFigures(given, counted, stamp) + routingField(stamp)
    return usageSpan === null
      ? { start: insertAt, end: insertAt, bytes: Buffer.from(`"usage":${json},`) }
      : { ...usageSpan, bytes: Buffer.from(json) }
  }

  #counted(usage: Usage): Usage {
    return this.#form.arePictures ? { ...usage, images: 1 } : usage
  }

  #failure(error: ProviderError): StreamEvent {
    this.#over = true
    this.#failed = true
    return { kind: 'error', bytes: NOTHING, error }
  }
}

/** What was read of one event. */
interface EventRead {
  type: string | null
  isContent: boolean
  isEnd: boolean
  isError: boolean
  usage: Usage | null
  usageSpan: Span | null
  model: Span | null
  /** Just after the outermost `{`. */
  insertAt: number
}

const EVENT_BYTES_MAX = 64 * 1024 * 1024 // a whole picture is one event
const STATUS = 200
const NONE: readonly StreamEvent[] = []
const NOTHING = new Uint8Array(0)
const WITHHELD: StreamEvent = { kind: 'withheld', bytes: NOTHING }
const FIELDS = new JsonKeys(['type', 'error', 'usage', 'model', 'delta'])
const FIELD = Buffer.from('data: ')
const LINE_END = Buffer.from('\n')
const EVENT_END = Buffer.from('\n\n')
const DONE_BYTES_MAX = 16

function sumOf(one: Usage, other: Usage): Usage {
  const sum: Record<string, number> = {}
  for (const kind of USAGE_KINDS) {
    const units = (one[kind] ?? 0) + (other[kind] ?? 0)
    if (units > 0) sum[kind] = units
  }
  return { ...NO_USAGE, ...sum }
}
