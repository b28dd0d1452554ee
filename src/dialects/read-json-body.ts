import { GatewayError } from '../domain/index.ts'
import { JsonError } from '../lib/index.ts'

/** What `read` makes of a request's body. Throws `invalid_json`, with line and column, for one that is no JSON. */
export function readJsonBody<Facts>(body: Uint8Array, read: () => Facts): Facts {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const message =
      body.length === 0
        ? 'The body is empty: a JSON object is expected.'
        : `Could not parse the JSON body of your request: ${error.message}.`
    throw new GatewayError('invalid_json', message)
  }
}
