import { NO_USAGE, type Usage } from '../../domain/index.ts'
import { JsonError, jsonBytes, jsonSplice, type Splice } from '../../lib/index.ts'
import type { Reply, ReplyView } from '../dialect.ts'
import { jsonAt } from '../field-splice.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { readAnyError } from '../read-any-error.ts'
import { routingField } from '../routing-field.ts'
import type { ReplyStamp } from '../surface.ts'
import type { DocumentForm } from './operation-form.ts'
import { type DocumentField, type DocumentRead, readDocumentFields } from './read-document-fields.ts'
import { stampedFigures, stampedPictures } from './stamped-usage.ts'
import { writtenVectors } from './written-vectors.ts'

/** Reads a plain answer that has a list in place of choices: vectors, judgements, a ranking, pictures. */
export function readDocument(form: DocumentForm, body: Uint8Array, view: ReplyView): Reply {
  let read: DocumentRead | null
  try {
    read = readDocumentFields(body, form)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
  if (read === null) return notAnAnswer('the answer is JSON, but no object')
  if (read.hasError) return { kind: 'error', error: readAnyError(200, body), usage: read.usage }
  if (read.count === null) return notAnAnswer(`the answer has no ${form.lists.join(' or ')}`)
  const usage = usageOf(form, read, read.count)
  const list = listOf(form, body, read, view)
  const written =
    view.stamp === undefined ? plain(body, read, view, list) : stamped(body, read, view.stamp, { form, list, usage })
  return { kind: 'answer', body: written, usage, textBytes: 0 }
}

/** Pictures are counted as they are delivered: some have a price each. */
function usageOf({ rows }: DocumentForm, { usage }: DocumentRead, count: number): Usage | null {
  return rows === 'pictures' && usage !== null ? { ...NO_USAGE, ...usage, images: count } : usage
}

/** What the list is to be in the answer; null: as it is. */
function listOf(
  { rows }: DocumentForm,
  body: Uint8Array,
  read: DocumentRead,
  { vectors }: ReplyView,
): Uint8Array | null {
  return rows === 'vectors' ? writtenVectors(body, read.rows, vectors) : null
}

function plain(body: Uint8Array, { fields }: DocumentRead, { model }: ReplyView, list: Uint8Array | null): Uint8Array {
  const splices: Splice[] = []
  for (const { name, value } of fields) {
    if (name === 'model') splices.push({ ...value, bytes: jsonBytes(model) })
    else if (name === 'data' && list !== null) splices.push({ ...value, bytes: list })
  }
  return splices.length === 0 ? body : jsonSplice(body, splices)
}

const OURS: ReadonlySet<DocumentField['name']> = new Set(['id', 'provider', 'model', 'usage'] as const)

/** What its list is to be (null: as it is), and what it used (null: not reported). */
interface Told {
  readonly form: DocumentForm
  readonly list: Uint8Array | null
  readonly usage: Usage | null
}

/** Our marks first, then the fields that stay, byte for byte, then what it cost. */
function stamped(
  body: Uint8Array,
  { fields }: DocumentRead,
  stamp: ReplyStamp,
  { form, list, usage: reported }: Told,
): Uint8Array {
  const { id, provider, model } = stamp
  const pieces: Uint8Array[] = [Buffer.from(JSON.stringify({ id, provider, model }).slice(0, -1))]
  let given: unknown = null
  for (const { name, whole, value } of fields) {
    if (name === 'usage') given = jsonAt(body, value)
    if (OURS.has(name)) continue
    pieces.push(COMMA, body.subarray(whole.start, name === 'data' && list !== null ? value.start : whole.end))
    if (name === 'data' && list !== null) pieces.push(list)
  }
  const usage = reported ?? stamp.estimate(0)
  const figures = (form.rows === 'pictures' ? stampedPictures : stampedFigures)(given, usage, stamp)
  pieces.push(Buffer.from(`,"usage":${figures}${routingField(stamp)}}`))
  return Buffer.concat(pieces)
}

const COMMA = Buffer.from(',')
