import { JsonKeys, type JsonReader } from '../../lib/index.ts'
import type { RequestProblem } from '../request-problem.ts'
import { type ContentSum, readContent } from './read-content.ts'

/** Reads the value of `messages`: a non-empty array of objects, or a problem. Roles are the provider's to judge: it has more of them in each beta. */
export function readMessages(reader: JsonReader, problem: RequestProblem, sum: ContentSum): void {
  const kind = reader.peek()
  if (kind !== 'array') {
    reader.skip()
    problem.wrongKind('messages', 'an array of objects', kind)
    return
  }
  let count = 0
  reader.enter()
  while (reader.nextItem()) readMessage(reader, problem, count++, sum)
  if (count === 0)
    problem.invalid('messages', "Invalid 'messages': empty array. Expected an array with minimum length 1.")
}

const MESSAGE_FIELDS = new JsonKeys(['role', 'content'])

function readMessage(reader: JsonReader, problem: RequestProblem, index: number, sum: ContentSum): void {
  const kind = reader.peek()
  if (kind !== 'object') {
    reader.skip()
    problem.wrongKind(`messages.${index}`, 'an object', kind)
    return
  }
  reader.enter()
  while (reader.nextKey()) {
    const field = reader.key(MESSAGE_FIELDS)
    if (field === 'content') readContent(reader, sum)
    else {
      const isString = reader.peek() === 'string'
      reader.skip()
      if (field === 'role' && isString) sum.textBytes += reader.stringBytes
    }
  }
}
