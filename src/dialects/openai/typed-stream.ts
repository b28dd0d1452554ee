import { NO_USAGE, USAGE_KINDS, type Usage } from '../../domain/index.ts'
import { JsonKeys, JsonReader, jsonBytes, jsonSplice, type Splice } from '../../lib/index.ts'
import type { ReplyStream, ReplyView, Span, StreamEvent } from '../dialect.ts'
import { enterObject } from '../enter-object.ts'
import { eventHead } from '../event-head.ts'
import { EventStream, isDoneOrEmpty, NOTHING, STREAM_STATUS, WHOLE_BYTES_MAX, WITHHELD } from '../event-stream.ts'
import { fieldSplice, jsonAt } from '../field-splice.ts'
import { onOneLine } from '../on-one-line.ts'
import { readAnyError } from '../read-any-error.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import type { EventForm } from './operation-form.ts'
import { readUsage } from './read-usage.ts'
import { stampedFigures, stampedPictures } from './stamped-usage.ts'

/**
 * Reads a stream of events that say in `type` what they are: pictures, sound. Each goes on under its name, which some readers need, with the
 * model's name spliced and all else as it came. There is no `[DONE]`: the event that ends the answer does.
 */
export function openTypedStream(form: EventForm, view: ReplyView): ReplyStream {
  return new TypedReplyStream(form, view)
}

class TypedReplyStream extends EventStream {
  readonly #form: EventForm
  readonly #view: ReplyView
  readonly #reader = new JsonReader(NOTHING)
  #ends = 0 // events that end the answer, so far

  constructor(form: EventForm, view: ReplyView) {
    super(WHOLE_BYTES_MAX)
    this.#form = form
    this.#view = view
  }

  get finished(): boolean {
    return this.#ends > 0 && !this.failed
  }

  /** Nothing follows its last end. */
  get closed(): boolean {
    return this.#ends >= (this.#view.ends ?? 1) && !this.failed
  }

  protected data(name: string | null, data: Uint8Array): StreamEvent {
    if (name === 'error') return this.failure(readAnyError(STREAM_STATUS, data))
    if (isDoneOrEmpty(data)) return WITHHELD
    let read: EventRead | null
    try {
      read = this.#read(data)
    } catch (error) {
      return this.unreadable(error)
    }
    if (read === null) return this.noObject()
    if (read.isError) return this.failure(readAnyError(STREAM_STATUS, data))
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
    if (!enterObject(reader)) return null
    const read: EventRead = {
      type: null,
      isContent: false,
      isEnd: false,
      isError: false,
      usage: null,
      usageSpan: null,
      model: null,
      hasCreated: false,
      createdAt: null,
      insertAt: reader.position,
    }
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
    else if (field === 'created') read.hasCreated = true
    else if (field === 'created_at') read.createdAt = kind === 'number' ? reader.number() : null
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
    if (read.model !== null) splices.push({ ...read.model, bytes: jsonBytes(this.#view.model) })
    const { stamp } = this.#view
    if (read.isEnd && stamp !== undefined) {
      if (this.#form.arePictures && !read.hasCreated) splices.push(createdSplice(read, stamp))
      splices.push(this.#stampedUsage(data, read, stamp))
    }
    const body = splices.length === 0 ? data : jsonSplice(data, splices)
    return Buffer.concat([eventHead(name), onOneLine(body), EVENT_END])
  }

  /** What this end of the answer costs, in its usage. */
  #stampedUsage(data: Uint8Array, { usage, usageSpan, insertAt }: EventRead, stamp: ReplyStamp): Splice {
    const billed = usage === null ? stamp.estimate(this.textBytes) : this.#counted(usage)
    const written = this.#form.arePictures ? stampedPictures : stampedFigures
    const json = written(jsonAt(data, usageSpan), billed, stamp) + routingField(stamp)
    return fieldSplice('usage', usageSpan, json, insertAt)
  }

  #counted(usage: Usage): Usage {
    return this.#form.arePictures ? { ...usage, images: 1 } : usage
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
  hasCreated: boolean
  /** Seconds since 1970, as OpenAI's events tell it. */
  createdAt: number | null
  /** Just after the outermost `{`. */
  readonly insertAt: number
}

const FIELDS = new JsonKeys(['type', 'error', 'usage', 'model', 'delta', 'created', 'created_at'])
const EVENT_END = Buffer.from('\n\n')

/** OpenRouter's readers take no picture without it. */
function createdSplice({ createdAt, insertAt }: EventRead, { createdS }: ReplyStamp): Splice {
  const seconds = Number.isSafeInteger(createdAt) ? createdAt : createdS
  return fieldSplice('created', null, String(seconds), insertAt)
}

function sumOf(one: Usage, other: Usage): Usage {
  const sum: Record<string, number> = {}
  for (const kind of USAGE_KINDS) {
    const units = (one[kind] ?? 0) + (other[kind] ?? 0)
    if (units > 0) sum[kind] = units
  }
  return { ...NO_USAGE, ...sum }
}
