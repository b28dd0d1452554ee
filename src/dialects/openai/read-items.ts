import type { Capability } from '../../domain/index.ts'
import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { StoredName } from '../dialect.ts'
import { readMedia, unitsOfFile } from './read-media.ts'

/** What the `input` of a response is: a text, or items (messages, calls and their results, reasoning, references). */
export interface ItemsRead {
  /** UTF-8 bytes of every string that a model reads: no ids, addresses, base64 and nothing encrypted. */
  textBytes: number
  /** Tokens reckoned for pictures, sound and files. */
  units: number
  readonly needs: Set<Capability>
  /** What it names of things that a provider keeps. */
  readonly names: StoredName[]
}

/** Reads the value of `input`. Items of kinds that are not known are read like any other: their strings count. */
export function readItems(reader: JsonReader): ItemsRead {
  const read: ItemsRead = { textBytes: 0, units: 0, needs: new Set(), names: [] }
  if (reader.peek() !== 'array') {
    read.textBytes = jsonText(reader, TEXT)
    return read
  }
  reader.enter()
  for (let at = 0; reader.nextItem(); at++) {
    if (reader.peek() === 'object') readItem(reader, `input[${at}]`, read, true)
    else read.textBytes += jsonText(reader, TEXT)
  }
  return read
}

const FIELDS = new JsonKeys(['type', 'id', 'image_url', 'file_id', 'file_data', 'file_url', 'input_audio', 'video_url'])
const REFERENCE = new JsonKeys(['item_reference'])
const PICTURE = new JsonKeys(['input_image'])
const UNREAD = [
  'call_id',
  'encrypted_content',
  'data',
  'b64_json',
  'url',
  'result',
  'status',
  'annotations',
  'logprobs',
]
const NO_TEXT = new JsonKeys(UNREAD)
const TEXT: TextRule = { without: new JsonKeys(['id', 'type', ...UNREAD]), names: false }
const BASE64_RATIO = 3 / 4

/** One item, or one part of its content. Only an item can be a reference to another, which a provider keeps: it has nothing but its id. */
function readItem(reader: JsonReader, place: string, read: ItemsRead, mayRefer: boolean): void {
  let id: string | null = null
  let isReference = true
  let isPicture = false
  let fileId: string | null = null
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    if (field === undefined) {
      isReference = false
      readField(reader, place, read)
      continue
    }
    if (field === 'image_url' || field === 'input_audio' || field === 'video_url') {
      isReference = false
      if (kind !== 'null') read.units += readMedia(reader, field)
      else reader.skip()
      if (kind !== 'null') read.needs.add(NEEDED[field])
      continue
    }
    reader.skip()
    if (kind !== 'string') continue
    if (field === 'id') id = String(reader.value())
    else if (field === 'type') {
      isReference = reader.stringIn(REFERENCE) !== undefined
      isPicture = reader.stringIn(PICTURE) !== undefined
    } else {
      isReference = false
      if (field === 'file_id') fileId = String(reader.value())
      read.units += unitsOfFile(field === 'file_data' ? reader.stringBytes * BASE64_RATIO : 0)
    }
  }
  if (fileId !== null) read.names.push({ kind: 'file', id: fileId, param: `${place}.file_id` })
  if (fileId !== null) read.needs.add(isPicture ? 'images' : 'files')
  if (mayRefer && isReference && id !== null) read.names.push({ kind: 'item', id, param: `${place}.id` })
}

const NEEDED = { image_url: 'images', input_audio: 'audio', video_url: 'video' } as const

/** Content may be parts, which have media of their own. */
function readField(reader: JsonReader, place: string, read: ItemsRead): void {
  if (reader.key(NO_TEXT) !== undefined) reader.skip()
  else if (reader.peek() !== 'array') read.textBytes += jsonText(reader, TEXT)
  else {
    const name = reader.keyText()
    reader.enter()
    for (let at = 0; reader.nextItem(); at++) {
      if (reader.peek() === 'object') readItem(reader, `${place}.${name}[${at}]`, read, false)
      else read.textBytes += jsonText(reader, TEXT)
    }
  }
}
