import { z } from 'zod'
import { DEFAULT_POLICY, GatewayError, type Policy } from '../../domain/index.ts'

const list = z.array(z.string()).nullable()

/** Strict: a bound of a newer version that this one does not know must not be left out. */
const policyShape = z.strictObject({
  allowForeign: z.boolean(),
  regions: list,
  ownerships: list,
  zeroRetention: z.boolean(),
  allowTraining: z.boolean(),
  only: list,
  ignore: list,
})

/** A column's value as a policy; NULL is the one that everybody has at first. Throws `storage_unavailable` for what is none: no bound may be lost. */
export function readPolicy(value: unknown): Policy {
  if (value === null) return DEFAULT_POLICY
  const read = policyShape.safeParse(value)
  if (read.success) return read.data
  throw new GatewayError('storage_unavailable', 'A policy in the ledger cannot be read.', {
    internal: z.prettifyError(read.error),
  })
}

/** What `readPolicy` reads. */
export const writePolicy = (policy: Policy): string | null =>
  Bun.deepEquals(policy, DEFAULT_POLICY) ? null : JSON.stringify(policy)
