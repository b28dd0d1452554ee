import { isRecord } from '../lib/index.ts'
import type { ConfigInput } from './config-schema.ts'
import { findPlace, type ParsedDocument, type Path, valueAt } from './parse-yaml.ts'
import { clip } from './problem.ts'

/** One value of a configuration, by its name in the file, and where it came from. Never a secret. */
export interface Setting {
  /** Keys from the top, e.g. `providers.acme.backends.acme-ca.url`. */
  readonly path: string
  /** As it stands in the file; a text, number, boolean, null or list. */
  readonly value: unknown
  readonly from: 'file' | 'environment' | 'default'
  /** Counted from 1; null when it is not in the file. */
  readonly line: number | null
  readonly column: number | null
}

/**
 * Every value of a configuration in effect: what the file says, in its order; then the providers whose key was found in the environment
 * (`input` has them, the file has not); then the defaults of what the file leaves open.
 */
export function describeConfig(input: ConfigInput, document: ParsedDocument): Setting[] {
  const written = leavesOf(document.value).map(({ path, value }) => {
    const { line, column } = findPlace(document.place, path).place.value
    return { ...setting(path, isSecret(path) ? MASK : value, 'file'), line, column }
  })
  const { providers, models: _models, aliases: _aliases, routers: _routers, ...sections } = input
  const found = Object.entries(providers)
    .filter(([id]) => !isWritten(document, ['providers', id]))
    .flatMap(([id, provider]) => leavesOf(provider, ['providers', id]))
    .map(({ path, value }) => setting(path, isSecret(path) ? MASK : value, 'environment'))
  const defaults = Object.entries(sections)
    .flatMap(([name, section]) => defaultsOf(section, [name], document))
    .map(({ path, value }) => setting(path, value, 'default'))
  return [...written, ...found, ...defaults]
}

interface Leaf {
  readonly path: Path
  readonly value: unknown
}

const MASK = '***'

/** `providers.<id>.credentials.<n>.value`: all other values name where a secret is. */
const isSecret = (path: Path): boolean => path[0] === 'providers' && path[2] === 'credentials' && path[4] === 'value'

const setting = (path: Path, value: unknown, from: Setting['from']): Setting => ({
  path: path.map((step) => clip(String(step))).join('.'),
  value: value ?? null,
  from,
  line: null,
  column: null,
})

/** The values at the ends of a tree; an empty list or section is one itself. */
function leavesOf(value: unknown, path: Path = []): Leaf[] {
  if (typeof value !== 'object' || value === null)
    return path.length === 0 || value === undefined ? [] : [{ path, value }]
  const inner: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, at) => [at, item] as const)
    : Object.entries(value)
  if (inner.length === 0) return path.length === 0 ? [] : [{ path, value }]
  return inner.flatMap(([step, item]) => leavesOf(item, [...path, step]))
}

/** What of a checked section the file does not say. A list that the file has is the file's alone. */
function defaultsOf(value: unknown, path: Path, document: ParsedDocument): Leaf[] {
  if (value === undefined) return []
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, inner]) => defaultsOf(inner, [...path, name], document))
  return isWritten(document, path) ? [] : [{ path, value }]
}

const isWritten = (document: ParsedDocument, path: Path): boolean =>
  findPlace(document.place, path).rest.length === 0 && valueAt(document.value, path) !== undefined
