import type { JsonKeys } from './json-keys.ts'
import type { JsonReader } from './json-reader.ts'

/**
 * Reads over the next value and sums its strings: UTF-8 bytes of what they decode to, without decoding them. Base64 in a
 * `data:` URL never counts.
 */
export function jsonText(reader: JsonReader, rule: TextRule): number {
  const kind = reader.peek()
  if (kind === 'string') {
    reader.skip()
    return isDataUrl(reader) ? 0 : reader.stringBytes
  }
  let sum = 0
  if (kind === 'array') {
    reader.enter()
    while (reader.nextItem()) sum += jsonText(reader, rule)
  } else if (kind === 'object') {
    reader.enter()
    while (reader.nextKey()) {
      if (rule.names) sum += reader.stringBytes
      if (reader.key(rule.without) === undefined) sum += jsonText(reader, rule)
      else reader.skip()
    }
  } else reader.skip()
  return sum
}

/** Which strings of a value are text. */
export interface TextRule {
  /** Fields whose whole value is no text: ids, base64. */
  readonly without: JsonKeys<string>
  /** Whether field names are text too, as those of a schema are. */
  readonly names: boolean
}

const DATA_URL_HEAD_MAX = 128
const DATA_URL_BYTES_MIN = 24 // a shorter one is not worth a look
const DATA_URL_HEAD = /^"data:[a-z0-9.+-]*(\\?\/[a-z0-9.+-]+)?(;[a-z0-9.+-]+=[^;,"\s]*)*;base64,/i
const SMALL_D = 0x64
const SPACE = 0x20

/** The string read last is a `data:` URL with base64 (RFC 2397): by its head, and because no space is in it. */
function isDataUrl({ bytes, valueStart, valueEnd }: JsonReader): boolean {
  if (((bytes[valueStart + 1] ?? 0) | 0x20) !== SMALL_D || valueEnd - valueStart < DATA_URL_BYTES_MIN) return false
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset + valueStart,
    Math.min(valueEnd - valueStart, DATA_URL_HEAD_MAX),
  )
  if (!DATA_URL_HEAD.test(head.toString('latin1'))) return false
  return !bytes.subarray(valueStart, valueEnd).includes(SPACE)
}
