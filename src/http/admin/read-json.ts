import { GatewayError } from '../../domain/index.ts'
import { JsonError, JsonReader } from '../../lib/index.ts'
import { readBody } from './read-body.ts'

const BYTES_MAX = 1024 * 1024

/**
 * The `parse` of every route with a body: JSON whatever the content type says, at most 1 MB, each field once: one that is given twice could
 * move another amount than was meant. Throws 400 with the position or the field, 413; Elysia wraps it, `createAdmin` takes it out again.
 */
export async function readJson({ request }: { readonly request: Request }): Promise<unknown> {
  const body = await readBody(request, BYTES_MAX)
  if (body.length === 0) throw new GatewayError('invalid_json', 'The body is empty: a JSON object is expected.')
  try {
    refuseDuplicates(body)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new GatewayError('invalid_json', `Could not parse the JSON body of your request: ${error.message}.`)
  }
  const parsed: unknown = JSON.parse(textOf(body))
  return parsed
}

/** Else what is no UTF-8 would be kept as other letters than were sent. */
function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not text in UTF-8: a JSON object is expected.')
  }
}

function refuseDuplicates(body: Uint8Array): void {
  const reader = new JsonReader(body)
  const seen = new Set<string>()
  let duplicate: string | null = null
  if (reader.peek() === 'object') {
    reader.enter()
    while (reader.nextKey()) {
      const name = reader.keyText()
      if (seen.has(name)) duplicate ??= name
      seen.add(name)
      reader.skip()
    }
  } else reader.skip()
  reader.finish() // first of all it must be JSON
  if (duplicate === null) return
  // What is no field of ours may be a secret in the wrong place.
  const shown = /^[a-z_]{1,40}$/.test(duplicate) ? duplicate : null
  throw new GatewayError(
    'duplicate_field',
    `${shown === null ? 'A field' : `The field '${shown}'`} is given twice.`,
    shown === null ? {} : { param: shown },
  )
}
