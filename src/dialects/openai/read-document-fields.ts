import type { Usage } from '../../domain/index.ts'
import { JsonKeys, JsonReader } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { enterObject } from '../enter-object.ts'
import type { DocumentForm } from './operation-form.ts'
import { readUsage } from './read-usage.ts'

/** What was found in one plain answer that has no choices. */
export interface DocumentRead {
  /** All its fields, in their order. */
  readonly fields: readonly DocumentField[]
  /** A top-level `error` that is not null. */
  readonly hasError: boolean
  readonly usage: Usage | null
  /** How many rows its list has; null when it has no list. */
  readonly count: number | null
  /** The rows of a list of vectors. */
  readonly rows: readonly VectorRow[]
}

export interface DocumentField {
  readonly name: KnownField | undefined
  /** From its name to the end of its value. */
  readonly whole: Span
  readonly value: Span
}

/** One vector, and what stands around it. */
export interface VectorRow extends Span {
  /** Its place in the answer, as it says itself; null when it does not. */
  readonly index: number | null
  readonly vector: Span | null
}

/** Reads a plain answer without choices. Null when it is no object. Throws `JsonError`. */
export function readDocumentFields(bytes: Uint8Array, form: DocumentForm): DocumentRead | null {
  const reader = new JsonReader(bytes)
  if (!enterObject(reader)) return null
  const found: Found = { fields: [], hasError: false, usage: null, count: null, rows: [] }
  while (reader.nextKey()) {
    const name = reader.key(FIELDS)
    const start = reader.keyStart
    const value = readField(reader, name, form, found)
    found.fields.push({ name, whole: { start, end: value.end }, value })
  }
  reader.finish()
  return found
}

interface Found extends DocumentRead {
  readonly fields: DocumentField[]
  readonly rows: VectorRow[]
  hasError: boolean
  usage: Usage | null
  count: number | null
}

const FIELDS = new JsonKeys(['id', 'provider', 'model', 'usage', 'error', 'data', 'results', 'meta'])
type KnownField = typeof FIELDS extends JsonKeys<infer Name> ? Name : never
const META = new JsonKeys(['billed_units'])
const ROW = new JsonKeys(['index', 'embedding'])

function readField(reader: JsonReader, name: KnownField | undefined, form: DocumentForm, found: Found): Span {
  const kind = reader.peek() // goes over white space
  const start = reader.position
  if (name === 'usage') found.usage = readUsage(reader, form.isPromptOnly) ?? found.usage
  else if (name === 'meta' && kind === 'object') readMeta(reader, form, found)
  else if (name !== undefined && form.lists.includes(name) && kind === 'array') readList(reader, form, found)
  else {
    reader.skip()
    if (name === 'error' && kind !== 'null') found.hasError = true
  }
  return { start, end: reader.position }
}

/** Cohere tells here what it bills. */
function readMeta(reader: JsonReader, form: DocumentForm, found: Found): void {
  reader.enter()
  while (reader.nextKey()) {
    if (reader.key(META) === undefined) {
      reader.skip()
      continue
    }
    const billed = readUsage(reader, form.isPromptOnly)
    if (found.usage === null) found.usage = billed
    else if (billed?.searches !== undefined) found.usage = { ...found.usage, searches: billed.searches }
  }
}

function readList(reader: JsonReader, form: DocumentForm, found: Found): void {
  let count = 0
  reader.enter()
  while (reader.nextItem()) {
    count++
    if (form.rows === 'vectors' && reader.peek() === 'object') found.rows.push(readRow(reader))
    else reader.skip()
  }
  found.count = count
}

function readRow(reader: JsonReader): VectorRow {
  let index: number | null = null
  let vector: Span | null = null
  const start = reader.position
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(ROW)
    const kind = reader.peek()
    reader.skip()
    if (field === 'index' && kind === 'number') index = reader.number()
    if (field === 'embedding') vector = { start: reader.valueStart, end: reader.valueEnd }
  }
  return { start, end: reader.position, index, vector }
}
