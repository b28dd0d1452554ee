import { NO_USAGE, type Usage } from '../../domain/index.ts'
import { JsonError, JsonKeys, JsonReader, jsonSplice } from '../../lib/index.ts'
import type { Reply, ReplyView, Span } from '../dialect.ts'
import { enterObject } from '../enter-object.ts'
import { fieldSplice, jsonAt } from '../field-splice.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { readAnyError } from '../read-any-error.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import { msOf, readUsage } from './read-usage.ts'
import { stampedFigures } from './stamped-usage.ts'

/** Reads what a sound says: an object with a text, or, where that was asked for, the text alone, with times (`srt`, `vtt`) or without. */
export function readTranscript(body: Uint8Array, view: ReplyView): Reply {
  const isDocument = DOCUMENT_START.test(Buffer.from(body.subarray(0, START_BYTES)).toString('latin1'))
  if (view.textual !== undefined && !isDocument) return readText(body)
  let read: TranscriptRead | null
  try {
    read = readFields(body)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    // A text that begins with a brace is one only where texts are asked for: else it is an object that was cut.
    return view.textual !== 'always' || !isBrace(body) ? notAnAnswer(whatItIs(body, error)) : readText(body)
  }
  if (read === null) return notAnAnswer('the answer is JSON, but no object')
  const { usage, textBytes } = read
  if (read.hasError) return { kind: 'error', error: readAnyError(200, body), usage }
  if (textBytes === null) return notAnAnswer('the answer has no text')
  const written = view.stamp === undefined ? body : stamped(body, read, view.stamp, textBytes)
  return { kind: 'answer', body: written, usage, textBytes }
}

/** An object, or a page of a server that is none of the provider's. */
const DOCUMENT_START = /^\s*(\{|<(!doctype|html|\?xml))/i
const START_BYTES = 256
const isBrace = (body: Uint8Array): boolean => body.find((byte) => byte > 0x20) === 0x7b

function readText(body: Uint8Array): Reply {
  if (body.length === 0) return notAnAnswer('the answer is empty')
  const ms = lastTimeMs(body)
  const usage = ms === null ? null : { ...NO_USAGE, audioMs: ms }
  return { kind: 'answer', body, usage, textBytes: body.length, mediaType: 'text/plain; charset=utf-8' }
}

const TIME = /--> *(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})/g
const TAIL_BYTES = 64 * 1024
const MINUTE_MS = 60_000

/** When the last of subtitles ends: that is as far as the sound was billed for sure. Null for a text without times. */
function lastTimeMs(body: Uint8Array): number | null {
  const last = [...Buffer.from(body.subarray(-TAIL_BYTES)).toString('latin1').matchAll(TIME)].at(-1)
  if (last === undefined) return null
  const [hours, minutes, seconds, ms] = [last[1] ?? '0', last[2], last[3], last[4]].map(Number)
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS + (seconds ?? 0) * 1000 + (ms ?? 0)
}

interface TranscriptRead {
  usage: Usage | null
  /** Null: it has none. */
  textBytes: number | null
  hasError: boolean
  usageSpan: Span | null
  /** Just after the outermost `{`. */
  readonly insertAt: number
}

const FIELDS = new JsonKeys(['text', 'duration', 'usage', 'error'])

function readFields(body: Uint8Array): TranscriptRead | null {
  const reader = new JsonReader(body)
  if (!enterObject(reader)) return null
  const read: TranscriptRead = {
    usage: null,
    textBytes: null,
    hasError: false,
    usageSpan: null,
    insertAt: reader.position,
  }
  let durationMs = 0
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    const start = reader.position
    if (field === 'usage') {
      read.usage = readUsage(reader)
      read.usageSpan = { start, end: reader.position }
      continue
    }
    reader.skip()
    if (field === 'text' && kind === 'string') read.textBytes = reader.stringBytes
    else if (field === 'error') read.hasError = kind !== 'null'
    else if (field === 'duration')
      durationMs = msOf(kind === 'number' ? reader.number() : kind === 'string' ? Number(reader.value()) : 0)
  }
  reader.finish()
  if (durationMs > 0 && read.usage?.audioMs === undefined)
    read.usage = { ...(read.usage ?? NO_USAGE), audioMs: durationMs }
  return read
}

/** As it came, with what it cost. */
function stamped(body: Uint8Array, read: TranscriptRead, stamp: ReplyStamp, textBytes: number): Uint8Array {
  const { usageSpan, insertAt } = read
  const usage = read.usage ?? stamp.estimate(textBytes)
  const json = stampedFigures(jsonAt(body, usageSpan), usage, stamp) + routingField(stamp)
  return jsonSplice(body, [fieldSplice('usage', usageSpan, json, insertAt)])
}
