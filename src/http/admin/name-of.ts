import { GatewayError } from '../../domain/index.ts'

/** A name as people will read it, in terminals too. Throws 400 for one that shows nothing or hides something. */
export function nameOf(text: string, param = 'name'): string {
  if (text.trim() === '' || INVISIBLE.test(text)) {
    throw new GatewayError('invalid_request', `'${param}' must be visible text without control characters.`, {
      param,
    })
  }
  return text
}

/** What moves a cursor, breaks a line, turns the direction of writing, or is no character at all. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
