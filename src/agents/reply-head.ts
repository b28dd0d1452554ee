import type { ReplyHead } from './contract.ts'

/** A head as it was understood, or why it was refused. */
export type ParsedHead = UnderstoodHead | { readonly kind: 'invalid'; readonly message: string }

export interface UnderstoodHead {
  readonly kind: 'interim' | 'final'
  readonly head: ReplyHead
  readonly framing: Framing
  /** Nothing in the head stands against using the connection again. */
  readonly keep: boolean
  /** `Keep-Alive: timeout`, in ms; null when the backend did not say. */
  readonly keepAliveMs: number | null
}

/** How the end of the body is found (RFC 9112, 6.3). */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly sizeBytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until_close' }

const HEADERS_MAX = 256
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Controls, and line ends that are not CR LF: each has served to smuggle a second message. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/
const SPACE = 0x20
const TAB = 0x09

/**
 * Reads the head of an answer strictly (RFC 9112): `text` is latin1, from the status line to the last field line, without
 * the line end of that one and the empty line.
 */
export function parseReplyHead(text: string): ParsedHead {
  if (FORBIDDEN.test(text)) return invalid('a control character or a bare line end in the head')
  const lineEnd = text.indexOf('\r\n')
  const status = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd))
  if (status === null) return invalid('the status line is not one of HTTP/1.0 or HTTP/1.1')
  const headers = lineEnd < 0 ? [] : parseFields(text, lineEnd + 2)
  if (typeof headers === 'string') return invalid(headers)
  return understand({ status: Number(status[2]), headers }, status[1] === '1')
}

/** The field lines from `at` on, names in small letters; a text says what is wrong. */
function parseFields(text: string, at: number): [string, string][] | string {
  const headers: [string, string][] = []
  for (;;) {
    const next = text.indexOf('\r\n', at)
    const end = next < 0 ? text.length : next
    const colon = text.indexOf(':', at)
    const name = colon < 0 || colon > end ? '' : text.slice(at, colon)
    if (!TOKEN.test(name)) return 'a field line is folded or its name is not a token'
    if (headers.length === HEADERS_MAX) return `more than ${HEADERS_MAX} fields in the head`
    headers.push([name.toLowerCase(), trimmed(text, colon + 1, end)])
    if (next < 0) return headers
    at = next + 2
  }
}

/** Not `trim()`: that would take away more than space and tab. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB

/** What the fields mean for the message's end and the connection's future. */
function understand(head: ReplyHead, isHttp11: boolean): ParsedHead {
  let length: string | null = null
  let coding: string | null = null
  let keep = isHttp11
  let keepAliveMs: number | null = null
  for (const [name, value] of head.headers) {
    if (name === 'content-length') {
      if (length !== null) return invalid('more than one content-length')
      length = value
    } else if (name === 'transfer-encoding') {
      if (coding !== null) return invalid('more than one transfer-encoding')
      coding = value
    } else if (name === 'connection') {
      if (hasToken(value, 'close')) keep = false
    } else if (name === 'keep-alive') keepAliveMs = keepAliveOf(value) ?? keepAliveMs
  }
  if (length !== null && !/^\d{1,15}$/.test(length)) return invalid('content-length is not a length')
  if (coding !== null && coding.toLowerCase() !== 'chunked') return invalid('a transfer-encoding other than chunked')
  // Both length and coding: the coding wins (RFC 9112, 6.3), but whoever sends both may frame wrongly elsewhere too.
  if (length !== null && coding !== null) keep = false
  if (head.status === 101) return invalid('status 101, and no upgrade was asked for')
  if (head.status < 200) return { kind: 'interim', head, framing: NO_BODY, keep, keepAliveMs }
  const isEmpty = head.status === 204 || head.status === 304
  const framing = isEmpty ? NO_BODY : framingOf(length, coding)
  return { kind: 'final', head, framing, keep: keep && framing.kind !== 'until_close', keepAliveMs }
}

const NO_BODY: Framing = { kind: 'none' }

function framingOf(length: string | null, coding: string | null): Framing {
  if (coding !== null) return { kind: 'chunked' }
  return length === null ? { kind: 'until_close' } : { kind: 'length', sizeBytes: Number(length) }
}

function hasToken(value: string, token: string): boolean {
  if (value === 'keep-alive') return false // by far the most common
  return value.split(',').some((part) => part.trim().toLowerCase() === token)
}

function keepAliveOf(value: string): number | null {
  const seconds = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,6})/i.exec(value)?.[1]
  return seconds === undefined ? null : Number(seconds) * 1000
}

const invalid = (message: string): ParsedHead => ({ kind: 'invalid', message })
