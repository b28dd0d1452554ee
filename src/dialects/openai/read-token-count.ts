import { NO_USAGE } from '../../domain/index.ts'
import { JsonError, JsonKeys, JsonReader } from '../../lib/index.ts'
import type { Reply } from '../dialect.ts'
import { enterObject } from '../enter-object.ts'
import { notAnAnswer, whatItIs } from '../not-an-answer.ts'
import { readAnyError } from '../read-any-error.ts'

/** Reads a count of tokens, which nobody pays for: it stays as it came. */
export function readTokenCount(body: Uint8Array): Reply {
  try {
    return readCount(new JsonReader(body), body)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return notAnAnswer(whatItIs(body, error))
  }
}

function readCount(reader: JsonReader, body: Uint8Array): Reply {
  if (!enterObject(reader)) return notAnAnswer('the answer is JSON, but no object')
  let isError = false
  let isCount = false
  while (reader.nextKey()) {
    const field = reader.key(FIELDS)
    const kind = reader.peek()
    reader.skip()
    if (field === 'error') isError = kind !== 'null'
    if (field === 'input_tokens') isCount = kind === 'number'
  }
  reader.finish()
  if (isError) return { kind: 'error', error: readAnyError(200, body), usage: null }
  if (!isCount) return notAnAnswer('the answer has no count of tokens')
  return { kind: 'answer', body, usage: NO_USAGE, textBytes: 0 }
}

const FIELDS = new JsonKeys(['error', 'input_tokens'])
