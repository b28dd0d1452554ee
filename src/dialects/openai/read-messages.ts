import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { StoredName } from '../dialect.ts'
import type { RequestProblem } from '../request-problem.ts'
import { MEDIA_FIELDS, type MediaField, readMedia } from './read-media.ts'

/** What the model will read, of all messages. */
export interface MessagesRead {
  /** UTF-8 bytes of every string but ids, addresses and base64. Roles and part types are in it: templates add words of their own. */
  readonly textBytes: number
  /** Tokens reckoned for images, audio and files. */
  readonly mediaUnits: number
  /** Which sorts of media there are; null: none. */
  readonly media: ReadonlySet<MediaField> | null
  /** Files that a provider keeps; null: none. */
  readonly names: readonly StoredName[] | null
}

/** Reads the value of `messages`: a non-empty array of objects with a known role, or a problem. */
export function readMessages(reader: JsonReader, problem: RequestProblem): MessagesRead {
  const kind = reader.peek()
  if (kind !== 'array') {
    reader.skip()
    problem.wrongKind('messages', 'an array of objects', kind)
    return { textBytes: 0, mediaUnits: 0, media: null, names: null }
  }
  const sum: Sum = { textBytes: 0, mediaUnits: 0, media: null, names: null }
  let count = 0
  reader.enter()
  while (reader.nextItem()) readMessage(reader, problem, count++, sum)
  if (count === 0)
    problem.invalid('messages', "Invalid 'messages': empty array. Expected an array with minimum length 1.")
  return sum
}

const MESSAGE_FIELDS = new JsonKeys(['role', 'content'])
const MEDIA_KEYS = new JsonKeys(MEDIA_FIELDS)
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
const ROLE_KEYS = new JsonKeys(ROLES)
const MESSAGE_TEXT: TextRule = {
  without: new JsonKeys(['data', 'file_data', 'b64_json', 'url', ...MEDIA_FIELDS, 'id', 'tool_call_id']),
  names: false,
}

interface Sum {
  textBytes: number
  mediaUnits: number
  media: Set<MediaField> | null
  names: StoredName[] | null
}

function readMessage(reader: JsonReader, problem: RequestProblem, index: number, sum: Sum): void {
  const kind = reader.peek()
  if (kind !== 'object') {
    reader.skip()
    problem.wrongKind(`messages[${index}]`, 'an object', kind)
    return
  }
  let hasRole = false
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(MESSAGE_FIELDS)
    if (field === 'role') {
      hasRole = true
      readRole(reader, problem, index)
      sum.textBytes += reader.stringBytes
    } else if (field === 'content' && reader.peek() === 'array') readParts(reader, index, sum)
    else if (reader.key(MESSAGE_TEXT.without) === undefined) sum.textBytes += jsonText(reader, MESSAGE_TEXT)
    else reader.skip()
  }
  if (!hasRole) problem.missing(`messages[${index}].role`, null)
}

function readRole(reader: JsonReader, problem: RequestProblem, index: number): void {
  const kind = reader.peek()
  reader.skip()
  if (kind !== 'string') problem.wrongKind(`messages[${index}].role`, 'a string', kind)
  else if (reader.stringIn(ROLE_KEYS) === undefined) {
    const names = ROLES.map((role) => `'${role}'`).join(', ')
    problem.invalid(
      `messages[${index}].role`,
      `Invalid value for 'messages[${index}].role'. Supported values are: ${names}.`,
    )
  }
}

function readParts(reader: JsonReader, index: number, sum: Sum): void {
  reader.enter()
  for (let at = 0; reader.nextItem(); at++) {
    if (reader.peek() !== 'object') {
      sum.textBytes += jsonText(reader, MESSAGE_TEXT)
      continue
    }
    reader.enter()
    while (reader.nextKey()) {
      const media = reader.key(MEDIA_KEYS)
      if (media !== undefined) {
        sum.mediaUnits += readMedia(reader, media, (id) => {
          sum.names ??= []
          sum.names.push({ kind: 'file', id, param: `messages[${index}].content[${at}].file.file_id` })
        })
        sum.media ??= new Set()
        sum.media.add(media)
      } else if (reader.key(MESSAGE_TEXT.without) === undefined) sum.textBytes += jsonText(reader, MESSAGE_TEXT)
      else reader.skip()
    }
  }
}
