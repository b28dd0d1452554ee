import { GatewayError } from '../../domain/index.ts'
import { JsonError, JsonKeys, JsonReader } from '../../lib/index.ts'

/** All fields of all bodies: one that is given twice could move another amount than was meant. */
const FIELDS = new JsonKeys(['account', 'key', 'kind', 'model', 'models', 'name', 'note', 'usd'])

/**
 * The `parse` of every route with a body: JSON whatever the content type says, each field once. Throws 400 with the position or the
 * field; Elysia wraps it, `createAdmin` takes it out again.
 */
export async function readJson({ request }: { readonly request: Request }): Promise<unknown> {
  const body = new Uint8Array(await request.arrayBuffer())
  if (body.length === 0) throw new GatewayError('invalid_json', 'The body is empty: a JSON object is expected.')
  try {
    refuseDuplicates(body)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new GatewayError('invalid_json', `Could not parse the JSON body of your request: ${error.message}.`)
  }
  const parsed: unknown = JSON.parse(new TextDecoder().decode(body))
  return parsed
}

function refuseDuplicates(body: Uint8Array): void {
  const reader = new JsonReader(body)
  const seen = new Set<string>()
  let duplicate: string | null = null
  if (reader.peek() === 'object') {
    reader.enter()
    while (reader.nextKey()) {
      const name = reader.key(FIELDS)
      if (name !== undefined && seen.has(name)) duplicate ??= name
      if (name !== undefined) seen.add(name)
      reader.skip()
    }
  } else reader.skip()
  reader.finish() // first of all it must be JSON
  if (duplicate !== null)
    throw new GatewayError('duplicate_field', `The field '${duplicate}' is given twice.`, { param: duplicate })
}
