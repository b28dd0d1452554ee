import type { JsonError } from '../lib/index.ts'
import type { Reply } from './dialect.ts'

/** A body that came with status 200 and is no answer: what it is instead. */
export const notAnAnswer = (message: string): Extract<Reply, { kind: 'not_an_answer' }> => ({
  kind: 'not_an_answer',
  message,
})

/** What a body is that is not JSON. Nothing of it is quoted. */
export function whatItIs(body: Uint8Array, error: JsonError): string {
  const first = body.find((byte) => byte > SPACE)
  if (first === undefined) return 'the answer is empty'
  return first === LESS_THAN ? 'the answer is HTML' : `the answer is not JSON: ${error.message}`
}

const LESS_THAN = 0x3c
const SPACE = 0x20
