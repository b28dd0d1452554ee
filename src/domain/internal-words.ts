import { errorText } from '../lib/index.ts'
import { GatewayError } from './errors.ts'

/** What an error says to an operator: what is inside of it, rather than what a caller is told. */
export const internalWords = (error: unknown): string =>
  error instanceof GatewayError ? (error.details.internal ?? error.message) : errorText(error)
