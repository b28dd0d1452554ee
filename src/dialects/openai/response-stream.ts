import { JsonKeys, JsonReader, jsonSplice } from '../../lib/index.ts'
import type { ReplyStream, ReplyView, StoredAnswer, StreamEvent } from '../dialect.ts'
import { enterObject } from '../enter-object.ts'
import { eventHead } from '../event-head.ts'
import { EventStream, isDoneOrEmpty, NOTHING, STREAM_STATUS, WHOLE_BYTES_MAX, WITHHELD } from '../event-stream.ts'
import { onOneLine } from '../on-one-line.ts'
import { readAnyError } from '../read-any-error.ts'
import type { BegunAnswer } from '../surface.ts'
import { failureOf } from './read-response.ts'
import { type ResponseRead, readOutputItem, readResponseObject } from './read-response-object.ts'
import { responseSplices } from './response-splices.ts'

/**
 * Reads a stream of `/responses`: events with names and numbers, which go on as they came but for the model's name. It is whole with
 * `response.completed` or `response.incomplete`, where the usage stands; `response.failed` and `error` are never passed on as they are.
 */
export const openResponseStream = (view: ReplyView): ReplyStream => new ResponseStream(view)

class ResponseStream extends EventStream {
  finishReason: string | null = null
  readonly #view: ReplyView
  readonly #reader = new JsonReader(NOTHING)
  #id: string | null = null
  readonly #items = new Set<string>()
  #isStored = true
  #sequence = 0
  #begun: Uint8Array | null = null
  #isEnded = false

  constructor(view: ReplyView) {
    super(WHOLE_BYTES_MAX)
    this.#view = view
  }

  get finished(): boolean {
    return this.#isEnded
  }

  /** Nothing follows the event that ends it. */
  get closed(): boolean {
    return this.#isEnded
  }

  get stored(): StoredAnswer | null {
    return this.#id === null || !this.#isStored ? null : { id: this.#id, items: [...this.#items], usage: this.usage }
  }

  get begun(): BegunAnswer {
    return { sequence: this.#sequence, answer: this.#begun }
  }

  protected data(name: string | null, data: Uint8Array): StreamEvent {
    if (isDoneOrEmpty(data)) return WITHHELD
    let read: EventRead | null
    try {
      read = this.#read(data)
    } catch (error) {
      return this.unreadable(error)
    }
    if (read === null) return this.noObject()
    const type = read.type ?? name
    if (type === 'error' || (read.hasError && type === null)) return this.failure(readAnyError(STREAM_STATUS, data))
    const { response } = read
    if (response !== null) this.#noteResponse(response)
    if (type === 'response.failed') return this.failure(failureOf(data, response ?? NO_RESPONSE))
    return this.#good(type, data, read)
  }

  #good(type: string | null, data: Uint8Array, read: EventRead): StreamEvent {
    const { response, item } = read
    const isDelta = type?.endsWith('.delta') === true && !type.includes('audio')
    if (isDelta) this.textBytes += read.deltaBytes
    if (item !== null) this.#items.add(item)
    const splices = response === null ? [] : responseSplices(data, response, this.#view, this.textBytes)
    const body = splices.length === 0 ? data : jsonSplice(data, splices)
    if (type === 'response.created' && response !== null) this.#begun = responseIn(body)
    this.#sequence = read.sequence === null ? this.#sequence + 1 : read.sequence + 1
    const isEnd = type === 'response.completed' || type === 'response.incomplete'
    if (isEnd) {
      this.#isEnded = true
      this.over = true
      this.finishReason = response?.reason ?? response?.status ?? null
    }
    const isContent = isEnd || (read.deltaBytes > 0 && type?.endsWith('.delta')) || isWork(type, read)
    return {
      kind: isContent ? 'content' : 'silent',
      bytes: Buffer.concat([eventHead(type), onOneLine(body), EVENT_END]),
    }
  }

  #noteResponse({ id, isStored, usage, items }: ResponseRead): void {
    this.#id ??= id
    if (!isStored) this.#isStored = false
    if (usage !== null) this.usage = usage
    for (const item of items) this.#items.add(item)
  }

  #read(data: Uint8Array): EventRead | null {
    const reader = this.#reader
    reader.open(data)
    if (!enterObject(reader)) return null
    const read: EventRead = {
      type: null,
      sequence: null,
      deltaBytes: 0,
      response: null,
      item: null,
      itemType: null,
      hasError: false,
    }
    while (reader.nextKey()) this.#field(read)
    reader.finish()
    return read
  }

  #field(read: EventRead): void {
    const reader = this.#reader
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    if (field === 'response' && kind === 'object') read.response = readResponseObject(reader)
    else if (field === 'item' && kind === 'object') {
      const { id, type } = readOutputItem(reader)
      read.item = id
      read.itemType = type
    } else {
      reader.skip()
      if (field === 'type' && kind === 'string') read.type = String(reader.value())
      else if (field === 'delta' && kind === 'string') read.deltaBytes = reader.stringBytes
      else if (field === 'sequence_number' && kind === 'number') read.sequence = reader.number()
      else if (field === 'error') read.hasError = kind !== 'null'
    }
  }
}

/** What was read of one event. */
interface EventRead {
  type: string | null
  sequence: number | null
  deltaBytes: number
  response: ResponseRead | null
  /** Id of the item that it begins or ends. */
  item: string | null
  itemType: string | null
  hasError: boolean
}

/** The provider has made something that is no text: a call of a tool, a picture. */
const isWork = (type: string | null, { itemType }: EventRead): boolean =>
  type === 'response.output_item.done' ||
  type === 'response.image_generation_call.partial_image' ||
  (type === 'response.output_item.added' && itemType !== null && !SAID.has(itemType))

/** Items that are nothing before they are said. */
const SAID: ReadonlySet<string> = new Set(['message', 'reasoning'])

/** The value of `response` of an event that has one. */
function responseIn(event: Uint8Array): Uint8Array | null {
  const reader = new JsonReader(event)
  reader.enter()
  while (reader.nextKey()) {
    const isResponse = reader.key(RESPONSE) !== undefined
    reader.skip()
    if (isResponse) return Buffer.from(event.subarray(reader.valueStart, reader.valueEnd))
  }
  return null
}

const NO_RESPONSE = { error: null }
const FIELDS = new JsonKeys(['type', 'sequence_number', 'delta', 'response', 'item', 'error'])
const RESPONSE = new JsonKeys(['response'])
const EVENT_END = Buffer.from('\n\n')
