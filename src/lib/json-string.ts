/** What was found out about a string while it was read over. */
export interface JsonStringFacts {
  /** UTF-8 bytes of what it decodes to. Half a surrogate pair counts 2: a pair has its 4, a lone half 2. */
  decodedBytes: number
  /** It has escapes. */
  escaped: boolean
  /** Why it is no JSON string; null when it is one. */
  fault: string | null
}

/**
 * Reads over the JSON string whose opening quote is at `open`, and fills `facts`. The answer is the index behind the closing
 * quote, or of the fault. Short strings are read in a loop; in long ones the quote is found by native search and the plain
 * run up to it is proved four bytes at a time (measured: 1.1 ms for 5 MB of base64, where the loop takes 5.6).
 */
export function jsonString(bytes: Uint8Array, open: number, end: number, facts: JsonStringFacts): number {
  facts.fault = null
  let at = open + 1
  let limit = Math.min(end, at + SHORT_BYTES)
  let quote = open // the next quote, once it has been searched: an escaped one, maybe
  let surplus = 0 // bytes by which escapes are longer than what they stand for
  for (;;) {
    if (at >= limit) {
      if (at >= end) return faultAt(facts, at, 'a string has no end')
      if (quote < at) quote = quoteFrom(bytes, at, end)
      if (quote - at >= LONG_BYTES) at = plainRunEnd(bytes, at, quote)
      limit = Math.min(end, at + SHORT_BYTES)
      continue
    }
    const byte = bytes[at] as number
    if (byte === QUOTE) break
    if (byte === BACKSLASH) {
      const size = escapedBytes(bytes, at)
      if (size === 0) return faultAt(facts, at, 'an escape in a string is invalid')
      const width = bytes[at + 1] === LETTER_U ? 6 : 2
      surplus += width - size
      at += width
    } else if (byte < CONTROL_END) return faultAt(facts, at, 'a control character in a string is not escaped')
    else at++
  }
  facts.escaped = surplus > 0
  facts.decodedBytes = at - open - 1 - surplus
  return at + 1
}

/**
 * Decodes the inside of a string that was read over, at `[start, end)`, into `target`. The answer is how many bytes it came to; -1 when
 * `target` is too small, or when an escape stands for a character beyond ASCII.
 */
export function decodedAscii(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let size = 0
  let at = start
  while (at < end) {
    if (size === target.length) return -1
    const byte = bytes[at] as number
    const letter = byte === BACKSLASH ? (bytes[at + 1] as number) : 0
    const isCode = letter === LETTER_U
    const decoded = letter === 0 ? byte : isCode ? hexCode(bytes, at + 2) : (MEANINGS.get(letter) ?? letter)
    if (isCode && decoded >= 0x80) return -1
    target[size++] = decoded
    at += letter === 0 ? 1 : isCode ? 6 : 2
  }
  return size
}

const SHORT_BYTES = 96
const LONG_BYTES = 256 // a shorter run is over before a view of its words is made
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const CONTROL_END = 0x20 // below it stand the control characters
const SIMPLE_ESCAPES = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)))
/** What the letters of simple escapes stand for, where not for themselves. */
const MEANINGS = new Map([...'bfnrt'].map((letter, at) => [letter.charCodeAt(0), '\b\f\n\r\t'.charCodeAt(at)]))

function faultAt(facts: JsonStringFacts, at: number, fault: string): number {
  facts.fault = fault
  return at
}

/** UTF-8 bytes of the character that the escape at `at` stands for; 0 when it is no escape. */
function escapedBytes(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] ?? 0
  if (letter !== LETTER_U) return SIMPLE_ESCAPES.has(letter) ? 1 : 0
  const code = hexCode(bytes, at + 2)
  if (code < 0x80) return code < 0 ? 0 : 1
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
}

/** The value of four hex digits; -1 when they are none. */
function hexCode(bytes: Uint8Array, at: number): number {
  let code = 0
  for (let i = at; i < at + 4; i++) {
    const digit = hexDigit(bytes[i] ?? 0)
    if (digit < 0) return -1
    code = code * 16 + digit
  }
  return code
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1
}

function quoteFrom(bytes: Uint8Array, from: number, end: number): number {
  const quote = bytes.indexOf(QUOTE, from)
  return quote < 0 || quote > end ? end : quote
}

/** An index in `[from, end]` up to which there is no backslash and no control character: all of a plain run but its last bytes. */
function plainRunEnd(bytes: Uint8Array, from: number, end: number): number {
  const first = from + ((4 - ((bytes.byteOffset + from) & 3)) & 3)
  for (let i = from; i < first; i++) {
    const byte = bytes[i] as number
    if (byte < CONTROL_END || byte === BACKSLASH) return i
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + first, (end - first) >> 2)
  const length = words.length
  for (let i = 0; i < length; i++) if (hasOddByte(words[i] as number)) return first + i * 4
  return first + length * 4
}

/** One of the word's four bytes is below 0x20, or a backslash ("Bit Twiddling Hacks": hasless, haszero). */
function hasOddByte(word: number): boolean {
  const other = word ^ 0x5c5c5c5c
  return ((((word - 0x20202020) & ~word) | ((other - 0x01010101) & ~other)) & 0x80808080) !== 0
}
