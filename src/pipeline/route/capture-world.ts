import type { AccountContext, CredentialFault } from '../../domain/index.ts'
import type { House } from '../house.ts'
import type { World } from './rule.ts'

/** Takes all that a plan depends on, as it is at this moment. */
export const captureWorld = (
  { catalogue, health }: Pick<House, 'catalogue' | 'health'>,
  context: AccountContext,
): World => ({
  catalogue: catalogue(),
  context,
  quarantine: health.quarantine(),
  coolings: health.coolings(context.account.id),
  ownFaults: context.own.length === 0 ? NONE : faultsOf(health, context),
  triesLeastBad: health.triesLeastBad(),
  nowMs: health.nowMs(),
})

function faultsOf(health: House['health'], { own }: AccountContext): ReadonlyMap<string, CredentialFault> {
  const faults = new Map<string, CredentialFault>()
  for (const credential of own) {
    const fault = health.ownFault(credential)
    if (fault !== null) faults.set(credential.id, fault)
  }
  return faults
}

const NONE: ReadonlyMap<string, CredentialFault> = new Map()
