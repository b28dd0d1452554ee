import { assert } from '../../lib/index.ts'

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** What stands under these names is data, not a part of the document's structure. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Moves every schema with a `title` out of plain JSON into `schemas`, under that title, and leaves a reference: one definition each,
 * and names for the types of generated clients. Two schemas of one title must be the same.
 */
export function hoistSchemas(value: Json, schemas: Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item) => hoistSchemas(item, schemas))
  if (value === null || typeof value !== 'object') return value
  const inner: Record<string, Json> = {}
  for (const [name, field] of Object.entries(value)) inner[name] = DATA.has(name) ? field : hoistSchemas(field, schemas)
  const { title } = inner
  if (typeof title !== 'string') return inner
  const known = schemas[title]
  assert(known === undefined || Bun.deepEquals(known, inner), () => `two schemas are called ${title}`)
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}
