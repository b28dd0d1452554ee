import { JsonError } from './json-error.ts'
import type { JsonKeys } from './json-keys.ts'
import { JSON_KINDS, type JsonKind } from './json-kinds.ts'
import { decodedAscii, type JsonStringFacts, jsonString } from './json-string.ts'

/**
 * A strict reader of one JSON document (RFC 8259) over bytes, pulled forward by its user, so that a body is validated, its
 * fields found and its text counted in one pass and without an object per value. What is not asked for is skipped, but
 * validated all the same. Bytes from 0x80 on are taken as they are inside strings, valid UTF-8 or not. A byte order mark is
 * refused: the bytes go on to a provider as they came, and most refuse it. Throws `JsonError`; after that it must be opened anew.
 *
 * ```ts
 * const reader = new JsonReader(bytes)
 * if (reader.peek() === 'object') {
 *   reader.enter()
 *   while (reader.nextKey()) reader.key(KEYS) === 'model' ? … : reader.skip()
 * }
 * reader.finish()
 * ```
 */
export class JsonReader {
  /** Where the value read last stands, `[start, end)` in `bytes`; quotes belong to it. */
  valueStart = 0
  valueEnd = 0
  #bytes: Uint8Array = EMPTY
  #begin = 0
  #end = 0
  #at = 0
  #depth = 0
  #fresh = false // just behind `{` or `[`: no comma is due
  #keyStart = 0
  #keyEnd = 0
  #keyEscaped = false
  readonly #stringFacts: JsonStringFacts = { decodedBytes: 0, escaped: false, fault: null }
  #inObject = new Uint8Array(USUAL_DEPTH) // by depth; grows with it

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.open(bytes, start, end)
  }

  /** Starts on another document: one reader serves many small ones. */
  open(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#bytes = bytes
    this.#begin = start
    this.#end = end
    this.#at = start
    this.#depth = 0
    this.#fresh = false
    if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf && start + 3 <= end)
      throw this.#error('a byte order mark, which JSON does not have, stands before the document')
  }

  /** What the reader is open on. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Just behind what was read last: after `enter()`, where the first field or item would be inserted. */
  get position(): number {
    return this.#at
  }

  /** Where the field name read last begins, with its quote. */
  get keyStart(): number {
    return this.#keyStart - 1
  }

  /** UTF-8 bytes of what the string or field name read last decodes to. */
  get stringBytes(): number {
    return this.#stringFacts.decodedBytes
  }

  /** The kind of the value that comes next; nothing is consumed. */
  peek(): JsonKind {
    const byte = this.#next()
    const kind = byte < 0 ? undefined : JSON_KINDS[byte]
    if (kind === undefined) throw this.#error(byte < 0 ? ENDED : 'a value is expected')
    return kind
  }

  /** Goes into the object or array that comes next. */
  enter(): void {
    const byte = this.#next()
    if (this.#depth === DEPTH_MAX) throw this.#error(`nested deeper than ${DEPTH_MAX} levels`)
    this.#depth++
    if (this.#depth === this.#inObject.length) this.#inObject = grown(this.#inObject)
    this.#inObject[this.#depth] = byte === OPEN_BRACE ? 1 : 0
    this.#at++
    this.#fresh = true
  }

  /** Inside an object: goes to the value of its next field; false, and behind the object, when there is none. */
  nextKey(): boolean {
    let byte = this.#next()
    if (byte === CLOSE_BRACE) return this.#leave()
    if (!this.#fresh) {
      if (byte !== COMMA) throw this.#error(byte < 0 ? ENDED : "',' or '}' is expected")
      this.#at++
      byte = this.#next()
    }
    if (byte !== QUOTE) throw this.#error(byte < 0 ? ENDED : 'a field name in double quotes is expected')
    this.#keyStart = this.#at + 1
    this.#string()
    this.#keyEnd = this.#at - 1
    this.#keyEscaped = this.#stringFacts.escaped
    byte = this.#next()
    if (byte !== COLON) throw this.#error(byte < 0 ? ENDED : "':' is expected")
    this.#at++
    this.#fresh = false
    return true
  }

  /** Inside an array: goes to its next item; false, and behind the array, when there is none. */
  nextItem(): boolean {
    const byte = this.#next()
    if (byte === CLOSE_BRACKET) return this.#leave()
    if (!this.#fresh) {
      if (byte !== COMMA) throw this.#error(byte < 0 ? ENDED : "',' or ']' is expected")
      this.#at++
    }
    this.#fresh = false
    return true
  }

  /** Which of `keys` the field is called by; undefined for any other. Escapes in the name make no difference. */
  key<Name extends string>(keys: JsonKeys<Name>): Name | undefined {
    return this.#find(keys, this.#keyStart, this.#keyEnd, this.#keyEscaped)
  }

  /** The field's name, whatever it is, with its escapes resolved. */
  keyText(): string {
    return JSON.parse(decoder.decode(this.#bytes.subarray(this.#keyStart - 1, this.#keyEnd + 1)))
  }

  /** Which of `keys` the string read last is. */
  stringIn<Name extends string>(keys: JsonKeys<Name>): Name | undefined {
    return this.#find(keys, this.valueStart + 1, this.valueEnd - 1, this.#stringFacts.escaped)
  }

  /** The number read last; `peek` said that it is one. */
  number(): number {
    let value = 0
    for (let at = this.valueStart; at < this.valueEnd; at++) {
      const digit = (this.#bytes[at] as number) - DIGIT_0
      if (digit < 0 || digit > 9 || at - this.valueStart >= EXACT_DIGITS) return Number(this.value())
      value = value * 10 + digit
    }
    return value
  }

  /** The value read last, parsed: meant for small ones. */
  value(): unknown {
    return JSON.parse(decode(this.#bytes.subarray(this.valueStart, this.valueEnd)))
  }

  /** Reads over the next value, whatever it is, and sets its span. */
  skip(): void {
    const kind = this.peek()
    const start = this.#at
    if (kind === 'object' || kind === 'array') this.#container()
    else this.#scalar(kind)
    this.valueStart = start
    this.valueEnd = this.#at
  }

  /** After the outermost value: nothing but white space may follow. */
  finish(): void {
    if (this.#next() >= 0) throw this.#error('something follows the end of the document')
  }

  /** Over a whole object or array, level by level without recursion. */
  #container(): void {
    const base = this.#depth
    this.enter()
    while (this.#depth > base) {
      const more = this.#inObject[this.#depth] === 1 ? this.nextKey() : this.nextItem()
      if (!more) continue
      const kind = this.peek()
      if (kind === 'object' || kind === 'array') this.enter()
      else this.#scalar(kind)
    }
  }

  #scalar(kind: JsonKind): void {
    if (kind === 'string') this.#string()
    else if (kind === 'number') this.#number()
    else this.#word(kind)
  }

  #leave(): false {
    this.#depth--
    this.#at++
    this.#fresh = false
    return false
  }

  #string(): void {
    const facts = this.#stringFacts
    const after = jsonString(this.#bytes, this.#at, this.#end, facts)
    if (facts.fault !== null) throw this.#error(facts.fault, after)
    this.#at = after
  }

  #number(): void {
    if (this.#bytes[this.#at] === MINUS) this.#at++
    if (this.#bytes[this.#at] === DIGIT_0 && this.#at < this.#end) this.#at++
    else this.#digits()
    if (this.#at < this.#end && this.#bytes[this.#at] === DOT) {
      this.#at++
      this.#digits()
    }
    if (this.#at < this.#end && ((this.#bytes[this.#at] ?? 0) | 0x20) === LETTER_E) {
      this.#at++
      const sign = this.#bytes[this.#at]
      if (sign === PLUS || sign === MINUS) this.#at++
      this.#digits()
    }
  }

  #digits(): void {
    const start = this.#at
    let at = start
    while (at < this.#end && isDigit(this.#bytes[at] ?? 0)) at++
    this.#at = at
    if (at === start) throw this.#error(at >= this.#end ? ENDED : 'a digit is expected')
  }

  #word(word: JsonKind): void {
    for (let i = 0; i < word.length; i++) {
      const isRight = this.#at + i < this.#end && this.#bytes[this.#at + i] === word.charCodeAt(i)
      if (!isRight) throw this.#error('a value is expected')
    }
    this.#at += word.length
  }

  /** Goes over white space. The byte there, -1 at the end. */
  #next(): number {
    const bytes = this.#bytes
    const end = this.#end
    let at = this.#at
    while (at < end) {
      const byte = bytes[at] as number
      if (byte > SPACE || (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB)) {
        this.#at = at
        return byte
      }
      at++
    }
    this.#at = at
    return -1
  }

  #find<Name extends string>(keys: JsonKeys<Name>, start: number, end: number, escaped: boolean): Name | undefined {
    if (!escaped) return keys.find(this.#bytes, start, end)
    const size = decodedAscii(this.#bytes, start, end, scratch)
    return size < 0 ? undefined : keys.find(scratch, 0, size)
  }

  #error(problem: string, at = this.#at): JsonError {
    return new JsonError(problem, this.#bytes, this.#begin, at)
  }
}

const DEPTH_MAX = 512
const USUAL_DEPTH = 16
const scratch = new Uint8Array(64) // a longer name is in no set
const EMPTY = new Uint8Array(0)
const EXACT_DIGITS = 15
const ENDED = 'the document ends too early'
const SPACE = 0x20
const QUOTE = 0x22
const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const DIGIT_0 = 0x30
const LETTER_E = 0x65

const isDigit = (byte: number): boolean => byte >= DIGIT_0 && byte <= 0x39

const decoder = new TextDecoder()
const decode = (bytes: Uint8Array): string => decoder.decode(bytes)

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length)
  larger.set(bytes)
  return larger
}
