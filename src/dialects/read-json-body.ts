import { GatewayError } from '../domain/index.ts'
import { JsonError, type JsonReader } from '../lib/index.ts'
import { enterObject } from './enter-object.ts'
import { KIND_WORDS } from './request-problem.ts'

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

/** Enters the object that a request's body is. Throws `invalid_request` for a body of another kind, and `JsonError` for one that is no JSON. */
export function enterBody(reader: JsonReader): void {
  const kind = reader.peek()
  if (!enterObject(reader))
    throw new GatewayError('invalid_request', `The body must be a JSON object, but it is ${KIND_WORDS[kind]}.`)
}
