import { isFieldValue } from './field-value.ts'

/** What the head of a part says. */
export interface PartHead {
  readonly name: string
  /** The part is a file; empty where its name is told in a form that is not read. */
  readonly fileName: string | null
}

/** Hears of a form's parts in their order. Offsets are in bytes from the body's beginning. */
export interface MultipartSink {
  /** A part begins; its content begins `at`. */
  part(head: PartHead, at: number): void
  /** A piece of its content, good until this returns. */
  data(bytes: Uint8Array): void
  /** Its content ends before `at`. */
  partEnd(at: number): void
}

const CRLF = Buffer.from('\r\n')
const BLANK_LINE = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
const DASH = 0x2d
const HEAD_BYTES_MAX = 16 * 1024
const PADDING_BYTES_MAX = 256
const JOINED_BYTES = 1024
const BOUNDARY = /^[\x20-\x7e]{0,199}[\x21-\x7e]$/
const FORM_TYPE = /^multipart\/form-data[ \t]*(?=;)/i
const PARAMETER = /[ \t]*;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/y

/**
 * Takes a form apart (RFC 7578, RFC 2046 5.1), one piece after the other, split anywhere; nothing is kept but the head of a part and a
 * boundary's length. Strict where two readers could see different fields: line ends are CRLF, heads are not folded, a name is told once.
 * Bounds: 16 KB for the head of a part.
 */
export class MultipartReader {
  /** Why the form was refused; null as long as it is sound. */
  error: string | null = null
  readonly #delimiter: Buffer
  readonly #sink: MultipartSink
  #state: 'preamble' | 'data' | 'delimiter_end' | 'head' | 'done' = 'preamble'
  #rest: Buffer = CRLF // as if a line had ended before the first boundary
  #restAt = -CRLF.length // where it stands in the body
  #skip = 0 // so much of a head's end is left before the content

  constructor(boundary: string, sink: MultipartSink) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#sink = sink
  }

  /** The last boundary has come. What follows it is of no use, and passed over. */
  get isDone(): boolean {
    return this.#state === 'done'
  }

  push(bytes: Uint8Array): void {
    let given = asBuffer(bytes)
    if (this.#rest.length > 0 && given.length > JOINED_BYTES) {
      this.#read(Buffer.concat([this.#rest, given.subarray(0, JOINED_BYTES)]))
      const keptBytes = this.#rest.length
      given = given.subarray(keptBytes <= JOINED_BYTES ? JOINED_BYTES - keptBytes : JOINED_BYTES)
      if (keptBytes <= JOINED_BYTES) this.#rest = NOTHING // it stands in what was given: large pieces are not copied
    }
    this.#read(this.#rest.length === 0 ? given : Buffer.concat([this.#rest, given]))
  }

  /** Goes on with what begins where the rest did. */
  #read(buffer: Buffer): void {
    if (this.error !== null || this.isDone) return
    let at = 0
    for (let next = 0; next >= 0 && this.error === null && !this.isDone; ) {
      at = next
      next = this.#step(buffer, at)
      if (next < 0) at = -next - 1
    }
    this.#restAt += at
    this.#rest = this.isDone || this.error !== null ? NOTHING : Buffer.from(buffer.subarray(at))
  }

  /** Goes on from `at`: answers where it stands then; `-1 - kept` when it needs more, from `kept` on. */
  #step(buffer: Buffer, at: number): number {
    if (this.#state === 'delimiter_end') return this.#delimiterEnd(buffer, at)
    return this.#state === 'head' ? this.#head(buffer, at) : this.#content(buffer, at)
  }

  #content(buffer: Buffer, at: number): number {
    const found = buffer.indexOf(this.#delimiter, at)
    const end = found < 0 ? Math.max(at, buffer.length - this.#delimiter.length + 1) : found
    const skipped = Math.min(this.#skip, end - at)
    this.#skip -= skipped
    if (this.#state === 'data' && end > at + skipped) this.#sink.data(buffer.subarray(at + skipped, end))
    if (found < 0) return -1 - end
    if (this.#state === 'data') this.#sink.partEnd(this.#restAt + found + this.#skip)
    this.#state = 'delimiter_end'
    return found + this.#delimiter.length
  }

  #delimiterEnd(buffer: Buffer, at: number): number {
    if (buffer.length - at < 2) return -1 - at
    if (buffer[at] === DASH && buffer[at + 1] === DASH) {
      this.#state = 'done'
      return at
    }
    const lineEnd = buffer.indexOf(CRLF, at)
    const padding = buffer.subarray(at, lineEnd < 0 ? buffer.length : lineEnd)
    if (padding.length > PADDING_BYTES_MAX || !/^[ \t]*\r?$/.test(padding.toString('latin1')))
      this.error = 'a boundary is followed by something else than a line end'
    if (lineEnd < 0) return -1 - at
    this.#state = 'head'
    return lineEnd + CRLF.length
  }

  #head(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(BLANK_LINE, at)
    if ((end < 0 ? buffer.length : end) - at > HEAD_BYTES_MAX) {
      this.error = `the head of a part is larger than ${HEAD_BYTES_MAX} bytes`
      return at
    }
    if (end < 0) return -1 - at
    const head = readHead(buffer.subarray(at, end).toString())
    if (typeof head === 'string') {
      this.error = head
      return at
    }
    this.#state = 'data'
    this.#sink.part(head, this.#restAt + end + BLANK_LINE.length)
    this.#skip = CRLF.length // a part without content may lend its head's last line end to the boundary
    return end + CRLF.length
  }
}

/** The boundary that a content type names; null when it is not that of a form, or cannot be sent on. */
export function multipartBoundary(contentType: string): string | null {
  const type = isFieldValue(contentType) ? FORM_TYPE.exec(contentType)?.[0] : undefined
  const boundary = type === undefined ? undefined : parametersOf(contentType.slice(type.length))?.get('boundary')
  return boundary !== undefined && BOUNDARY.test(boundary) ? boundary : null
}

/** Of one part; a text says why it is refused. */
function readHead(text: string): PartHead | string {
  let disposition: string | null = null
  for (const line of text.split('\r\n')) {
    const [, name, value] = HEAD_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return 'the head of a part has a line that is no header'
    if (name.toLowerCase() !== 'content-disposition') continue
    if (disposition !== null) return 'a part has two Content-Disposition headers'
    disposition = value
  }
  const type = DISPOSITION.exec(disposition ?? '')?.[0]
  if (disposition === null || type === undefined) return 'a part has no Content-Disposition of a form'
  const parameters = parametersOf(disposition.slice(type.length))
  const name = parameters?.get('name')
  if (parameters === null || name === undefined || parameters.has('name*'))
    return 'a part has a Content-Disposition without one clear name'
  return { name, fileName: parameters.get('filename') ?? (parameters.has('filename*') ? '' : null) }
}

const HEAD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\r\n\0]*)$/
const DISPOSITION = /^[ \t]*form-data[ \t]*/i

/** Parameters of a header's value, names in small letters; null when one is said twice, or there is something else. */
function parametersOf(text: string): Map<string, string> | null {
  const found = new Map<string, string>()
  PARAMETER.lastIndex = 0
  let end = 0
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const name = (match[1] ?? '').toLowerCase()
    if (found.has(name)) return null
    found.set(name, match[3] ?? (match[2] ?? '').replace(/\\(["\\])/g, '$1'))
    end = PARAMETER.lastIndex
  }
  return /^[ \t]*;?[ \t]*$/.test(text.slice(end)) ? found : null
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
