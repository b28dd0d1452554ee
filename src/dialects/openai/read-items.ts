import type { Capability } from '../../domain/index.ts'
import { JsonKeys, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { StoredName } from '../dialect.ts'
import { readKeptNames } from './read-kept-names.ts'
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

const FIELDS = new JsonKeys([
  'type',
  'id',
  'image_url',
  'file_id',
  'file_data',
  'file_url',
  'input_audio',
  'video_url',
  'container_id',
])
/** Reasoning, and a picture that was made, are looked up by their id where nothing of them is shown. */
const TYPES = new JsonKeys(['item_reference', 'input_image', 'reasoning', 'image_generation_call'])
const SHOWN = new JsonKeys(['encrypted_content', 'result'])
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

/** What an item, or a part of its content, turned out to be. */
interface ItemSeen {
  id: string | null
  fileId: string | null
  /** All its types: which of two that are given counts, the provider knows. */
  readonly types: Set<string>
  /** It has something beside its id and type, */
  isMore: boolean
  /** and that is what a model could read. */
  isShown: boolean
}

/** One item, or one part of its content. Only an item can be a reference to another, which a provider keeps. */
function readItem(reader: JsonReader, place: string, read: ItemsRead, mayRefer: boolean): void {
  const seen: ItemSeen = { id: null, fileId: null, types: new Set(), isMore: false, isShown: false }
  const textBefore = read.textBytes
  reader.enter()
  while (reader.nextKey()) readMember(reader, place, read, seen)
  const { id, fileId, types } = seen
  if (fileId !== null) read.needs.add(types.has('input_image') ? 'images' : 'files')
  if (read.textBytes > textBefore) seen.isShown = true
  if (mayRefer && id !== null && isReference(seen)) read.names.push({ kind: 'item', id, param: `${place}.id` })
}

function readMember(reader: JsonReader, place: string, read: ItemsRead, seen: ItemSeen): void {
  const field = reader.key(FIELDS)
  const kind = reader.peek()
  if (field !== 'id' && field !== 'type') seen.isMore = true
  if (field === undefined) {
    const mayShow = reader.key(SHOWN) !== undefined && kind === 'string'
    readField(reader, place, read)
    if (mayShow && reader.stringBytes > 0) seen.isShown = true
  } else if (field === 'image_url' || field === 'input_audio' || field === 'video_url') {
    if (kind !== 'null') read.units += readMedia(reader, field)
    else reader.skip()
    if (kind !== 'null') read.needs.add(NEEDED[field])
  } else {
    reader.skip()
    if (kind !== 'string') return
    if (field === 'id') seen.id = String(reader.value())
    else if (field === 'type') seen.types.add(reader.stringIn(TYPES) ?? 'other')
    else readKept(reader, field, place, read, seen)
  }
}

/** The string read last is the id of something kept, or a file. */
function readKept(
  reader: JsonReader,
  field: 'file_id' | 'file_data' | 'file_url' | 'container_id',
  place: string,
  read: ItemsRead,
  seen: ItemSeen,
): void {
  if (field === 'file_id' || field === 'container_id') {
    const id = String(reader.value())
    read.names.push({ kind: field === 'file_id' ? 'file' : 'item', id, param: `${place}.${field}` })
    if (field === 'file_id') seen.fileId = id
  }
  if (field !== 'container_id') read.units += unitsOfFile(field === 'file_data' ? reader.stringBytes * BASE64_RATIO : 0)
}

/** By its type, whatever else it has; for want of anything else; or because nothing of it is there to be read. */
const isReference = ({ types, isMore, isShown }: ItemSeen): boolean =>
  types.has('item_reference') ||
  (types.size === 0 && !isMore) ||
  (!isShown && (types.has('reasoning') || types.has('image_generation_call')))

const NEEDED = { image_url: 'images', input_audio: 'audio', video_url: 'video' } as const

/** Content may be parts, which have media of their own. */
function readField(reader: JsonReader, place: string, read: ItemsRead): void {
  if (reader.key(NO_TEXT) !== undefined) {
    reader.skip()
    return
  }
  const kind = reader.peek()
  const start = reader.position
  if (kind !== 'array' && kind !== 'object') {
    read.textBytes += jsonText(reader, TEXT)
    return
  }
  const name = reader.keyText()
  if (kind === 'object') {
    read.textBytes += jsonText(reader, TEXT)
    readKeptNames(new JsonReader(reader.bytes, start, reader.position), `${place}.${name}`, read.names)
    return
  }
  reader.enter()
  for (let at = 0; reader.nextItem(); at++) {
    if (reader.peek() === 'object') readItem(reader, `${place}.${name}[${at}]`, read, false)
    else read.textBytes += jsonText(reader, TEXT)
  }
}
