import { DEFAULT_POLICY, GatewayError, type Policy } from '../../domain/index.ts'
import { isRecord } from '../../lib/index.ts'

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

const isListOrNull = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every((item) => typeof item === 'string'))

// Not with zod, which both threads of the store would load for this alone.
const FIELDS: Readonly<Record<keyof Policy, (value: unknown) => boolean>> = {
  allowForeign: isBoolean,
  regions: isListOrNull,
  ownerships: isListOrNull,
  zeroRetention: isBoolean,
  allowTraining: isBoolean,
  only: isListOrNull,
  ignore: isListOrNull,
}

/** Names of fields that are wrong, or missing, or of a newer version: a bound that this one does not know must not be left out. */
function wrongFields(value: Record<string, unknown>): string[] {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(FIELDS, name))
  const wrong = Object.entries(FIELDS).filter(([name, isRight]) => !isRight(value[name]))
  return [...unknown, ...wrong.map(([name]) => name)]
}

const isPolicy = (value: unknown): value is Policy => isRecord(value) && wrongFields(value).length === 0

/** A column's value as a policy; NULL is the one that everybody has at first. Throws `storage_unavailable` for what is none: no bound may be lost. */
export function readPolicy(value: unknown): Policy {
  if (value === null) return DEFAULT_POLICY
  if (isPolicy(value)) return value
  throw new GatewayError('storage_unavailable', 'A policy in the ledger cannot be read.', {
    internal: isRecord(value) ? `wrong fields: ${wrongFields(value).join(', ')}` : 'it is no object',
  })
}

/** What `readPolicy` reads. */
export const writePolicy = (policy: Policy): string | null =>
  Bun.deepEquals(policy, DEFAULT_POLICY) ? null : JSON.stringify(policy)
