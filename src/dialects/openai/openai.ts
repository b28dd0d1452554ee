import { assert } from '../../lib/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Surface } from '../surface.ts'
import { readError } from './read-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { openReplyStream } from './reply-stream.ts'
import { streamOf } from './stream-of.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeRequest } from './write-request.ts'

/** OpenAI's wire format, and that of the many servers compatible with it. */
export const openai: Dialect = {
  name: 'openai',
  operations: new Set(['chat.completions']),
  readRequest,
  writeRequest,
  path(operation) {
    assert(operation === 'chat.completions', () => `${operation} is never sent to a provider`)
    return '/chat/completions'
  },
  credentialHeaders: (secret) => (secret === null ? [] : [['authorization', `Bearer ${secret}`]]),
  readReply,
  streamOf,
  openStream: openReplyStream,
  readError,
}

/** What callers of `/v1` see: this format, and nothing added to it. */
export const openaiSurface: Surface = {
  name: 'openai',
  dialect: 'openai',
  isStamped: false,
  writeError,
  writeErrorEvent,
}
