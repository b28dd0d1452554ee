import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { clip, type Problem } from './problem.ts'

/** A place in the file, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where a value stands, and what stands in it: a tree beside the plain value. */
export interface Place {
  /** Of the key; for an item of a list, and at the top, of the value. */
  readonly key: Position
  readonly value: Position
  readonly inner: ReadonlyMap<string | number, Place>
}

/** The way to a value from the top: names of keys, positions in lists. */
export type Path = readonly (string | number)[]

/** A YAML file as plain values. Nulls are left undefined: an empty section means its defaults. */
export interface ParsedDocument {
  readonly value: unknown
  readonly place: Place
  readonly problems: readonly Problem[]
}

const NODES_MAX = 200_000 // far above any real file; stops references that multiply
const DEPTH_MAX = 32
const SYNTAX_PROBLEMS_MAX = 5

/**
 * Reads YAML 1.2 text. With any problem (syntax, a key given twice, unusable keys) `value` is not to be used. Prices are given
 * as their source text, so that no digit passes through a float.
 */
export function parseYaml(text: string): ParsedDocument {
  const counter = new LineCounter()
  // Their own check for double keys takes quadratic time, ours does not.
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: false })
  const position = (offset: number): Position => {
    const { line, col } = counter.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const syntax = [...document.errors, ...document.warnings]
  if (syntax.length > 0) {
    // One slip often gives several errors at one place, and more below it: the first of each place, and few of them, say most.
    const places = new Set<number>()
    const firsts = syntax.filter(({ pos }) => !places.has(pos[0]) && places.add(pos[0]))
    const problems = firsts.slice(0, SYNTAX_PROBLEMS_MAX).map((error) => syntaxProblem(error, position(error.pos[0])))
    return { value: undefined, place: placeAt({ line: 1, column: 1 }), problems }
  }
  const reader: Reader = { document, position, problems: [], nodesLeft: NODES_MAX }
  const top = { line: 1, column: 1 }
  const { value, place } = read(reader, document.contents, [], top)
  return { value, place, problems: reader.problems }
}

interface Reader {
  readonly document: Document.Parsed
  readonly position: (offset: number) => Position
  readonly problems: Problem[]
  nodesLeft: number
}

type Read = { readonly value: unknown; readonly place: Place }

function read(reader: Reader, node: ParsedNode | null, path: Path, key: Position): Read {
  const value = node === null ? key : reader.position(node.range[0])
  if (reader.nodesLeft <= 0) return { value: undefined, place: placeAt(key) }
  reader.nodesLeft--
  if (reader.nodesLeft === 0 || path.length > DEPTH_MAX) {
    reader.nodesLeft = 0
    reader.problems.push(problemAt(path.slice(0, 4), key, 'the file is nested too deep, or too large', null))
    return { value: undefined, place: placeAt(key) }
  }
  if (isAlias(node)) {
    const resolved = node.resolve(reader.document) as ParsedNode | undefined
    if (resolved !== undefined) return read(reader, resolved, path, key)
    reader.problems.push(problemAt(path, value, `nothing above is marked &${clip(node.source)}`, null))
    return { value: undefined, place: placeAt(key) }
  }
  if (isMap(node)) return readMap(reader, node, path, key, value)
  if (isSeq(node)) {
    const inner = new Map<number, Place>()
    const items = node.items.map((item, at) => {
      const from = reader.position(item.range[0])
      const result = read(reader, item, [...path, at], from)
      inner.set(at, result.place)
      return result.value
    })
    return { value: items, place: { key, value, inner } }
  }
  return { value: isScalar(node) ? scalarValue(node, path) : undefined, place: { key, value, inner: new Map() } }
}

function readMap(reader: Reader, node: YAMLMap.Parsed, path: Path, key: Position, value: Position): Read {
  const inner = new Map<string, Place>()
  const entries: [string, unknown][] = []
  for (const item of node.items) {
    const keyAt = reader.position(item.key.range[0])
    const name = isScalar(item.key) ? (item.key.source ?? String(item.key.value)) : null
    if (name === null || name === '' || name === '__proto__') {
      reader.problems.push(
        problemAt(path, keyAt, 'this cannot be a key', 'Write a plain word, then a colon and a space.'),
      )
      continue
    }
    const innerPath = [...path, name]
    if (inner.has(name)) {
      const first = inner.get(name)?.key.line
      reader.problems.push(
        problemAt(innerPath, keyAt, `'${clip(name)}' is given twice (first on line ${first})`, 'Keep one of them.'),
      )
      continue
    }
    const result = read(reader, item.value, innerPath, keyAt)
    inner.set(name, result.place)
    entries.push([name, result.value])
  }
  return { value: Object.fromEntries(entries), place: { key, value, inner } }
}

function scalarValue(node: Scalar.Parsed, path: Path): unknown {
  if (node.value === null) return undefined
  return isPrice(path) && typeof node.value === 'number' ? node.source : node.value
}

/** `models.<id>.offers.<n>.price.<kind>` and `cost`, and the prices of their tiers. */
function isPrice(path: Path): boolean {
  if (path[0] !== 'models' || path[2] !== 'offers' || (path[4] !== 'price' && path[4] !== 'cost')) return false
  return path.length === 6 || (path.length === 8 && path[5] === 'tiers' && path[7] !== 'from_tokens')
}

const placeAt = (position: Position): Place => ({ key: position, value: position, inner: new Map() })

/** A problem at a place of the file. */
export function problemAt(path: Path, at: Position, reason: string, suggestion: string | null): Problem {
  return {
    path: path.map((step) => clip(String(step))).join('.'),
    line: at.line,
    column: at.column,
    reason,
    suggestion,
  }
}

/** A problem of what stands at a path, or of its key. */
export const problemIn = (
  top: Place,
  path: Path,
  reason: string,
  suggestion: string | null,
  at: 'key' | 'value' = 'value',
): Problem => problemAt(path, findPlace(top, path).place[at], reason, suggestion)

/** The value of a path; a scalar is each item of the list that it was read as. */
export function valueAt(top: unknown, path: Path): unknown {
  let value = top
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return typeof step === 'number' ? value : undefined
    value = (value as Readonly<Record<string | number, unknown>>)[step]
  }
  return value
}

/** The place of a path, as deep as the file goes: `rest` is what it does not have. */
export function findPlace(top: Place, path: Path): { readonly place: Place; readonly rest: Path } {
  let place = top
  for (const [depth, step] of path.entries()) {
    const next = place.inner.get(step)
    if (next === undefined) return { place, rest: path.slice(depth) }
    place = next
  }
  return { place, rest: [] }
}

const SYNTAX_REASONS: Partial<Record<YAMLError['code'], string>> = {
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  MULTIPLE_DOCS: 'the file holds more than one document',
  TAG_RESOLVE_FAILED: 'tags (words with !) have no meaning here',
}

const SYNTAX_SUGGESTIONS: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'Indent with spaces, not with tabs.',
  BAD_INDENT: 'Line it up with its neighbours, with spaces.',
  MULTIPLE_DOCS: 'Remove what follows the line ---.',
  MISSING_CHAR: 'Put text with special characters into quotes, and close them.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that contains ": " into quotes.',
  BAD_ALIAS: 'Put text that begins with * or & into quotes.',
}

function syntaxProblem(error: YAMLError, at: Position): Problem {
  // Their messages may quote the file, which may hold what should not be there.
  const message = SYNTAX_REASONS[error.code] ?? error.message.replace(/: .*$/s, '').replace(/"[^"]{12,}"/g, 'this text')
  return problemAt([], at, `not valid YAML: ${message}`, SYNTAX_SUGGESTIONS[error.code] ?? null)
}
