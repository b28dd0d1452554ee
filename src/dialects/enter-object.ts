import type { JsonReader } from '../lib/index.ts'

/** Enters the object that a whole document is. False for a document of another kind, which is then read to its end. Throws `JsonError`. */
export function enterObject(reader: JsonReader): boolean {
  if (reader.peek() === 'object') {
    reader.enter()
    return true
  }
  reader.skip()
  reader.finish()
  return false
}
