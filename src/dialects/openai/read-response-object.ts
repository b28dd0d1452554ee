import type { Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { readUsage } from './read-usage.ts'

/** What is read of a response, plain or inside an event. */
export interface ResponseRead {
  id: string | null
  status: string | null
  /** Why it is incomplete. */
  reason: string | null
  model: Span | null
  /** One that is not null. */
  error: Span | null
  usage: Usage | null
  usageSpan: Span | null
  /** There is an `output`, which is a list. */
  hasOutput: boolean
  /** Ids of what is in it, and of the containers in which its code ran. */
  readonly items: string[]
  /** UTF-8 bytes of text, reasoning and arguments in it. */
  textBytes: number
  /** False: the provider says that it does not keep the response. */
  isStored: boolean
  /** Just after its `{`. */
  insertAt: number
  /** Which it has of the fields that are looked for here: some readers insist on them. */
  readonly seen: Set<string>
}

/** Reads the object that comes next; `peek` said that it is one. */
export function readResponseObject(reader: JsonReader): ResponseRead {
  const read: ResponseRead = {
    id: null,
    status: null,
    reason: null,
    model: null,
    error: null,
    usage: null,
    usageSpan: null,
    hasOutput: false,
    items: [],
    textBytes: 0,
    isStored: true,
    insertAt: 0,
    seen: new Set(),
  }
  reader.enter()
  read.insertAt = reader.position
  while (reader.nextKey()) readField(reader, read)
  return read
}

const FIELDS = new JsonKeys([
  'id',
  'status',
  'model',
  'error',
  'usage',
  'output',
  'store',
  'incomplete_details',
  'completed_at',
  'instructions',
  'parallel_tool_calls',
  'tool_choice',
  'tools',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'metadata',
])
const REASON = new JsonKeys(['reason'])
const ITEM_MARKS = new JsonKeys(['id', 'type', 'container_id'])
const ITEM_TEXT: TextRule = {
  without: new JsonKeys([
    'id',
    'type',
    'role',
    'status',
    'call_id',
    'encrypted_content',
    'annotations',
    'logprobs',
    'result',
    'url',
  ]),
  names: false,
}
const WORD_BYTES_MAX = 256

function readField(reader: JsonReader, read: ResponseRead): void {
  const field = reader.key(FIELDS)
  const kind = reader.peek()
  const start = reader.position
  if (field !== undefined) read.seen.add(field)
  if (field === 'usage') {
    read.usage = readUsage(reader)
    if (kind !== 'null') read.usageSpan = { start, end: reader.position }
  } else if (field === 'output' && kind === 'array') readOutput(reader, read)
  else if (field === 'incomplete_details' && kind === 'object') readReason(reader, read)
  else {
    reader.skip()
    const span = { start, end: reader.position }
    if (field === 'id' || field === 'status') {
      if (kind === 'string' && reader.stringBytes <= WORD_BYTES_MAX) read[field] = String(reader.value())
    } else if (field === 'model') read.model = span
    else if (field === 'error') read.error = kind === 'null' ? null : span
    else if (field === 'output') read.hasOutput = false
    else if (field === 'store') read.isStored = kind !== 'false'
  }
}

function readReason(reader: JsonReader, read: ResponseRead): void {
  reader.enter()
  while (reader.nextKey()) {
    const isReason = reader.key(REASON) !== undefined && reader.peek() === 'string'
    reader.skip()
    if (isReason && reader.stringBytes <= WORD_BYTES_MAX) read.reason = String(reader.value())
  }
}

function readOutput(reader: JsonReader, read: ResponseRead): void {
  read.hasOutput = true
  reader.enter()
  while (reader.nextItem()) {
    if (reader.peek() !== 'object') reader.skip()
    else {
      const { id, container, textBytes } = readOutputItem(reader)
      for (const kept of [id, container]) if (kept !== null) read.items.push(kept)
      read.textBytes += textBytes
    }
  }
}

/** One item of an answer, which comes next: its id, its kind, and its bytes of text. */
export function readOutputItem(reader: JsonReader): OutputItem {
  let id: string | null = null
  let type: string | null = null
  let container: string | null = null
  let textBytes = 0
  reader.enter()
  while (reader.nextKey()) {
    const mark = reader.key(ITEM_MARKS)
    if (mark !== undefined && reader.peek() === 'string') {
      reader.skip()
      const word = reader.stringBytes <= WORD_BYTES_MAX ? String(reader.value()) : null
      if (mark === 'id') id = word
      else if (mark === 'type') type = word
      else container = word
    } else if (reader.key(ITEM_TEXT.without) === undefined) textBytes += jsonText(reader, ITEM_TEXT)
    else reader.skip()
  }
  return { id, type, container, textBytes }
}

export interface OutputItem {
  readonly id: string | null
  readonly type: string | null
  /** Where its code ran: kept for a while, to go on from. */
  readonly container: string | null
  readonly textBytes: number
}
