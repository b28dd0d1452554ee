import type { ProviderError } from '../domain/index.ts'
import { isRecord } from '../lib/index.ts'
import { redacted } from './redacted.ts'

/**
 * What an error body says, whatever its shape: OpenAI's envelope, `{"error": "text"}`, `{"message"}`, `{"detail"}` (text, or
 * FastAPI's list), a list around any of these (Gemini), HTML, plain text, nothing. Anything like a key is struck out. An error
 * that came with status 200 takes the status that the body names, if any.
 */
export function readAnyError(status: number, body: Uint8Array): ProviderError {
  const text = Buffer.from(body.subarray(0, READ_BYTES_MAX)).toString().trim()
  const value = parsed(text)
  if (value !== undefined) return errorOf(status, value)
  const plain = text.startsWith('<') ? textOfHtml(text) : text
  return { status, message: messageOf(plain, status), type: null, code: null, param: null }
}

function errorOf(status: number, value: unknown): ProviderError {
  const outer = Array.isArray(value) ? value[0] : value
  const inner = isRecord(outer) && outer.error !== undefined && outer.error !== null ? outer.error : outer
  const fields = isRecord(inner) ? inner : {}
  const around = isRecord(outer) ? outer : {}
  const message =
    textOf(inner) ??
    textOf(fields.message) ??
    detailOf(fields.detail) ??
    textOf(around.message) ??
    detailOf(around.detail) ??
    textOf(fields.type) ??
    ''
  return {
    status: status === 200 ? (statusIn(fields.code) ?? statusIn(fields.status) ?? status) : status,
    message: messageOf(message, status),
    type: shortOf(fields.type),
    code: shortOf(fields.code),
    param: shortOf(fields.param),
  }
}

const READ_BYTES_MAX = 64 * 1024
const MESSAGE_CHARS_MAX = 2000
const FIELD_CHARS_MAX = 200

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** FastAPI: `"text"`, or `[{"loc": ["body", "n"], "msg": "text"}]`. */
function detailOf(detail: unknown): string | null {
  if (!Array.isArray(detail)) return textOf(isRecord(detail) ? (detail.message ?? detail.msg) : detail)
  const lines = detail.filter(isRecord).flatMap(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : ''
    return typeof msg === 'string' ? [place === '' ? msg : `${place}: ${msg}`] : []
  })
  return textOf(lines.join('; '))
}

/** A whole page is no message: its title is, or its text. The patterns stop at every `<`, so that no page can make them slow. */
function textOfHtml(html: string): string {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(html)?.[1]?.trim()
  if (title !== undefined && title !== '') return title
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function messageOf(text: string, status: number): string {
  // Struck out first, cut afterwards: a cut may not leave half a key.
  const message = cut(redacted(text), MESSAGE_CHARS_MAX)
  return message === '' ? `status ${status} without a message` : message
}

function shortOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? cut(redacted(value), FIELD_CHARS_MAX) : null
}

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`

const statusIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599 ? value : null
