import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'

/** One tool call, or a piece of one, as it stands in an answer. */
export interface CallSeen extends Span {
  /** The index of its choice. */
  choice: number
  /** Its place among the calls; null when it does not say. */
  index: number | null
  hasId: boolean
  hasType: boolean
  hasName: boolean
  /** Its arguments are JSON itself, in place of a text with it. */
  hasLooseArguments: boolean
  /** Some of it is null, where it could be left out. */
  hasNull: boolean
}

/** Reads the array in `tool_calls` and adds what it has to `seen`. Answers the UTF-8 bytes of names and arguments. */
export function readCalls(reader: JsonReader, seen: CallSeen[]): number {
  let textBytes = 0
  reader.enter()
  while (reader.nextItem()) {
    if (reader.peek() !== 'object') {
      textBytes += jsonText(reader, CALL_TEXT)
      continue
    }
    const call = {
      choice: 0,
      index: null,
      hasId: false,
      hasType: false,
      hasName: false,
      hasLooseArguments: false,
      hasNull: false,
      start: reader.position,
      end: 0,
    }
    textBytes += readCall(reader, call)
    call.end = reader.position
    seen.push(call)
  }
  return textBytes
}

const FIELDS = new JsonKeys(['index', 'id', 'type', 'function'])
const FUNCTION_FIELDS = new JsonKeys(['name', 'arguments'])
const CALL_TEXT: TextRule = { without: new JsonKeys([]), names: false }

function readCall(reader: JsonReader, call: CallSeen): number {
  let textBytes = 0
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    if (field === undefined) textBytes += jsonText(reader, CALL_TEXT)
    else if (field === 'function' && kind === 'object') textBytes += readFunction(reader, call)
    else {
      reader.skip()
      if (kind === 'null') call.hasNull = true
      if (field === 'index' && kind === 'number') call.index = reader.number()
      const isGiven = kind === 'string' && reader.stringBytes > 0
      if (field === 'id') call.hasId = isGiven
      else if (field === 'type') call.hasType = isGiven
    }
  }
  return textBytes
}

function readFunction(reader: JsonReader, call: CallSeen): number {
  let textBytes = 0
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(FUNCTION_FIELDS)
    const kind = reader.peek()
    if (field === 'arguments' && (kind === 'object' || kind === 'array')) {
      call.hasLooseArguments = true
      reader.skip()
      textBytes += reader.valueEnd - reader.valueStart
      continue
    }
    if (field !== undefined && kind === 'null') call.hasNull = true
    const bytes = jsonText(reader, CALL_TEXT)
    if (field === 'name' && bytes > 0) call.hasName = true
    textBytes += bytes
  }
  return textBytes
}
