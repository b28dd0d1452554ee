import { envelopeOf } from '../anthropic/write-error.ts'
import type { PublicError, Surface } from '../surface.ts'
import { errorTypeOf } from './error-type.ts'

/** What callers of `/api/v1/messages` see: Anthropic's format with OpenRouter's marks, and its word in errors (OPENROUTER.md, 2c). */
export const openrouterMessages: Surface = {
  name: 'openrouter-messages',
  dialect: 'anthropic',
  isStamped: true,
  writeError: (error) => Buffer.from(textOf(error)),
  writeErrorEvent: (error) => Buffer.from(`event: error\ndata: ${textOf(error)}\n\n`),
}

const textOf = (error: PublicError): string =>
  JSON.stringify(envelopeOf(error, { error_type: errorTypeOf(error.status, error.code) }))
