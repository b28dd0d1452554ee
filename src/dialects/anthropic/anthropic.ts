import type { OperationName } from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Surface } from '../surface.ts'
import { passedOn } from './passed-on.ts'
import { readError } from './read-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { openReplyStream } from './reply-stream.ts'
import { streamOf } from './stream-of.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeRequest } from './write-request.ts'

const PATHS: ReadonlyMap<OperationName, string> = new Map([
  ['messages', '/messages'],
  ['messages.count_tokens', '/messages/count_tokens'],
])

/** Anthropic's wire format (docs.anthropic.com/en/api/messages), and that of the servers compatible with it. */
export const anthropic: Dialect = {
  name: 'anthropic',
  operations: new Set(PATHS.keys()),
  readRequest,
  writeRequest,
  path(operation) {
    const path = PATHS.get(operation)
    assert(path !== undefined, () => `Anthropic's dialect has no ${operation}`)
    return path
  },
  credentialHeaders: (secret) => (secret === null ? [] : [['x-api-key', secret]]),
  passedOn,
  readReply,
  streamOf,
  openStream: openReplyStream,
  readError,
}

/** What callers of `/v1/messages` see: this format, and nothing added to it. */
export const anthropicSurface: Surface = {
  name: 'anthropic',
  dialect: 'anthropic',
  isStamped: false,
  writeError,
  writeErrorEvent,
}
