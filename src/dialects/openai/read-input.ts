import { JsonKeys, type JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import { MEDIA_FIELDS, readMedia } from './read-media.ts'

/** What a field is that holds one text, several, or the same as tokens; or parts of text and media. */
export interface InputRead {
  /** How many there are. */
  readonly inputs: number
  readonly textBytes: number
  /** Of the longest of them. */
  readonly longestBytes: number
  /** Tokens that are given as such, and those reckoned for media. */
  readonly units: number
}

/** Reads the value of such a field: `"text"`, `["text", …]`, `[1, 2]`, `[[1, 2], …]`, or `[{"type": "text", …}, …]`. */
export function readInput(reader: JsonReader): InputRead {
  if (reader.peek() !== 'array') {
    const textBytes = jsonText(reader, INPUT_TEXT)
    return { inputs: 1, textBytes, longestBytes: textBytes, units: 0 }
  }
  let inputs = 0
  let textBytes = 0
  let longestBytes = 0
  let units = 0
  let isTokens = false
  reader.enter()
  while (reader.nextItem()) {
    const kind = reader.peek()
    const before = textBytes
    inputs++
    if (kind === 'number') {
      isTokens = true
      units++
      reader.skip()
    } else if (kind === 'array') units += readTokens(reader)
    else if (kind === 'object') {
      const part = readPart(reader)
      textBytes += part.textBytes
      units += part.units
    } else textBytes += jsonText(reader, INPUT_TEXT)
    longestBytes = Math.max(longestBytes, textBytes - before)
  }
  return { inputs: isTokens ? 1 : Math.max(1, inputs), textBytes, longestBytes, units }
}

/** Code points: what providers count. */
export function charactersIn(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const MEDIA_KEYS = new JsonKeys(MEDIA_FIELDS)
const INPUT_TEXT: TextRule = {
  without: new JsonKeys(['data', 'file_data', 'b64_json', 'url', ...MEDIA_FIELDS, 'id', 'type']),
  names: false,
}

function readTokens(reader: JsonReader): number {
  let count = 0
  reader.enter()
  while (reader.nextItem()) {
    count++
    reader.skip()
  }
  return count
}

function readPart(reader: JsonReader): { textBytes: number; units: number } {
  let textBytes = 0
  let units = 0
  reader.enter()
  while (reader.nextKey()) {
    const media = reader.key(MEDIA_KEYS)
    if (media !== undefined) units += readMedia(reader, media)
    else if (reader.peek() === 'array') {
      const parts = readInput(reader)
      textBytes += parts.textBytes
      units += parts.units
    } else if (reader.key(INPUT_TEXT.without) === undefined) textBytes += jsonText(reader, INPUT_TEXT)
    else reader.skip()
  }
  return { textBytes, units }
}
