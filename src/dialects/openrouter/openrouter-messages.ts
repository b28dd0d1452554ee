import { eventText } from '../../lib/index.ts'
import { envelopeOf } from '../anthropic/write-error.ts'
import type { PublicError, Surface } from '../surface.ts'
import { errorTypeOf } from './error-type.ts'

/** What callers of `/api/v1/messages` see: Anthropic's format with OpenRouter's marks, and its word in errors (OPENROUTER.md, 2c). */
export const openrouterMessages: Surface = {
  name: 'openrouter-messages',
  dialect: 'anthropic',
  isStamped: true,
  writeError: (error) => Buffer.from(JSON.stringify(bodyOf(error))),
  writeErrorEvent: (error) => Buffer.from(eventText(bodyOf(error))),
}

const bodyOf = (error: PublicError): object => envelopeOf(error, { error_type: errorTypeOf(error.status, error.code) })
