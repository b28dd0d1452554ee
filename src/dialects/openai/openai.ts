import type { Dialect, PassedOn } from '../dialect.ts'
import { readAnyError } from '../read-any-error.ts'
import type { Surface } from '../surface.ts'
import { FORM_OPERATIONS, formOf, OPERATIONS } from './form-of.ts'
import { openForm } from './open-form.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { openReplyStream } from './reply-stream.ts'
import { soundForm } from './sound-form.ts'
import { streamOf } from './stream-of.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeRequest } from './write-request.ts'

/** OpenAI's wire format, and that of the many servers compatible with it. */
export const openai: Dialect = {
  name: 'openai',
  operations: OPERATIONS,
  readRequest,
  forms: FORM_OPERATIONS,
  openForm,
  jsonForms: new Map([['audio.transcriptions', soundForm]]),
  writeRequest,
  path: (operation) => formOf(operation).path,
  credentialHeaders: (secret) => (secret === null ? [] : [['authorization', `Bearer ${secret}`]]),
  passedOn: () => NOTHING,
  readReply,
  streamOf,
  openStream: openReplyStream,
  readError: readAnyError,
}

const NOTHING: PassedOn = { headers: [], query: '' }

/** What callers of `/v1` see: this format, and nothing added to it. */
export const openaiSurface: Surface = {
  name: 'openai',
  dialect: 'openai',
  isStamped: false,
  writeError,
  writeErrorEvent,
}
