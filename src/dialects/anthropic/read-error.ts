import type { ProviderError } from '../../domain/index.ts'
import { readAnyError } from '../read-any-error.ts'
import { statusOfType } from './error-type-of.ts'

/**
 * What an error body says: Anthropic's envelope `{"type": "error", "error": {"type", "message"}}`, or any of the shapes that proxies in front
 * answer in. An error that came with status 200 takes the status that its type stands for.
 */
export function readError(status: number, body: Uint8Array): ProviderError {
  const error = readAnyError(status, body)
  if (error.status !== 200 || error.type === null) return error
  return { ...error, status: statusOfType(error.type) ?? error.status }
}
